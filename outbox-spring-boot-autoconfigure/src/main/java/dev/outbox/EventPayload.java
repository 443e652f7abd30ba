package dev.outbox;

import java.util.Arrays;

/**
 * The content of an event as it is stored and delivered: text or bytes. It comes back
 * exactly as it was written, and it never shows its content in {@code toString}.
 */
public sealed interface EventPayload {

	/**
	 * Return a text payload, usually JSON.
	 * @param text the text
	 * @return the payload
	 */
	static EventPayload text(String text) {
		return new Text(text);
	}

	/**
	 * Return a binary payload.
	 * @param bytes the bytes, which are copied
	 * @return the payload
	 */
	static EventPayload bytes(byte[] bytes) {
		if (bytes == null) {
			throw new InvalidEventException("payload", "must not be null");
		}
		return new Bytes(bytes.clone());
	}

	/**
	 * Text that is stored in a text column.
	 *
	 * @param value the text
	 */
	record Text(String value) implements EventPayload {

		public Text {
			if (value == null) {
				throw new InvalidEventException("payload", "must not be null");
			}
		}

		@Override
		public String toString() {
			return "Text[" + this.value.length() + " characters]";
		}

	}

	/**
	 * Bytes that are stored in a binary column.
	 */
	final class Bytes implements EventPayload {

		private final byte[] value;

		private Bytes(byte[] value) {
			this.value = value;
		}

		/**
		 * Return a copy of the bytes.
		 * @return the bytes
		 */
		public byte[] value() {
			return this.value.clone();
		}

		/**
		 * Return how many bytes there are.
		 * @return the length
		 */
		public int length() {
			return this.value.length;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Bytes that && Arrays.equals(this.value, that.value);
		}

		@Override
		public int hashCode() {
			return Arrays.hashCode(this.value);
		}

		@Override
		public String toString() {
			return "Bytes[" + this.value.length + "]";
		}

	}

}
