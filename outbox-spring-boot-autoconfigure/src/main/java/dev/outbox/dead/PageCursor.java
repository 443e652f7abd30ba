package dev.outbox.dead;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import dev.outbox.store.EventPage.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * A place in a list, as text that nobody is tempted to take apart.
 */
final class PageCursor {

	private PageCursor() {
	}

	static @Nullable String encode(@Nullable Cursor cursor) {
		return (cursor != null) ? Base64.getUrlEncoder()
			.withoutPadding()
			.encodeToString(cursor.toString().getBytes(StandardCharsets.US_ASCII)) : null;
	}

	static Cursor decode(@Nullable String text) {
		if (text == null) {
			return Cursor.START;
		}
		byte[] bytes;
		try {
			bytes = Base64.getUrlDecoder().decode(text);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("Not a cursor that was handed out", ex);
		}
		return Cursor.parse(new String(bytes, StandardCharsets.US_ASCII));
	}

}
