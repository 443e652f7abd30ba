package dev.outbox.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A piece of a longer list of events.
 *
 * @param events the events
 * @param next where to go on, or {@code null} at the end
 */
public record EventPage(List<EventRecord> events, @Nullable Cursor next) {

	/**
	 * A place in a list that stays right while rows come and go.
	 *
	 * @param availableAt the time, in microseconds, of the last event seen
	 * @param sequence its sequence number
	 */
	public record Cursor(long availableAt, long sequence) {

		/**
		 * The place before the first event.
		 */
		public static final Cursor START = new Cursor(Long.MIN_VALUE, Long.MIN_VALUE);

		/**
		 * Read what {@link #toString()} wrote.
		 * @param text the text
		 * @return the cursor
		 */
		public static Cursor parse(String text) {
			try {
				int separator = text.indexOf('-', 1);
				return new Cursor(Long.parseLong(text.substring(0, separator)),
						Long.parseLong(text.substring(separator + 1)));
			}
			catch (IndexOutOfBoundsException | NumberFormatException ex) {
				throw new IllegalArgumentException("Not a cursor that was handed out", ex);
			}
		}

		@Override
		public String toString() {
			return this.availableAt + "-" + this.sequence;
		}

	}

}
