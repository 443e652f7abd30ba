package dev.outbox.engine;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;

import org.springframework.dao.DuplicateKeyException;

/**
 * Sees to it that all who use the same tables deliver in a way that goes together. The
 * first one enters its kind of mode in the meta table; who comes with another kind is
 * refused, because one of the two would break what the other promises.
 */
final class ModeAgreement {

	private static final String KEY = "mode";

	private final String outbox;

	private final OutboxMode mode;

	private final ShortTransactions transactions;

	private final String meta;

	ModeAgreement(String outbox, OutboxMode mode, OutboxDatabase database) {
		this.outbox = outbox;
		this.mode = mode;
		this.transactions = database.transactions();
		this.meta = database.tables().meta();
	}

	/**
	 * Compare this outbox's mode with that of the tables.
	 * @throws OutboxModeException if they do not go together
	 */
	void check() {
		List<String> entered = read();
		if (entered.isEmpty()) {
			enter();
			entered = read();
		}
		String kind = kind(this.mode);
		if (!entered.isEmpty() && !kind.equals(entered.get(0))) {
			throw new OutboxModeException(
					"%s: outbox.mode is %s, but the tables are in use in mode %s".formatted(this.outbox, this.mode,
							modes(entered.get(0))),
					("Correct outbox.mode. To change it for good, stop all nodes, let none of their events be "
							+ "unfinished, and run: UPDATE %s SET meta_value = '%s' WHERE meta_name = '%s'")
						.formatted(this.meta, kind, KEY));
		}
	}

	private List<String> read() {
		return this.transactions.jdbc()
			.query("SELECT meta_value FROM " + this.meta + " WHERE meta_name = :name", Map.of("name", KEY),
					(row, number) -> row.getString(1));
	}

	private void enter() {
		try {
			this.transactions.write(() -> this.transactions.jdbc()
				.update("INSERT INTO " + this.meta + " (meta_name, meta_value) VALUES (:name, :value)",
						Map.of("name", KEY, "value", kind(this.mode))));
		}
		catch (DuplicateKeyException ex) {
			// another node was faster: what it entered is compared next
		}
	}

	private static String modes(String kind) {
		return Stream.of(OutboxMode.values())
			.filter((mode) -> kind(mode).equals(kind))
			.map(OutboxMode::toString)
			.collect(Collectors.joining(" or "));
	}

	private static String kind(OutboxMode mode) {
		return switch (mode) {
			case MULTI_NODE, SINGLE_NODE -> "unordered";
			case ORDERED -> "ordered";
			case WRITER_ONLY -> "foreign";
		};
	}

}
