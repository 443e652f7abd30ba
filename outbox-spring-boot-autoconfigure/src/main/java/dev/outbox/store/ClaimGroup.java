package dev.outbox.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Claims, or what carries one, that a single statement can match: they have owner and
 * number in common. There is hardly ever more than one group, because nearly all events
 * are claimed once. Members are sorted by event id, so that rivals lock rows in one
 * order.
 *
 * @param <T> what carries the claim
 * @param owner the owner
 * @param number the claim number
 * @param members the members
 */
record ClaimGroup<T>(long owner, int number, List<T> members) {

	static List<ClaimGroup<Claim>> of(Collection<Claim> claims) {
		return of(claims, (claim) -> claim);
	}

	static <T> List<ClaimGroup<T>> of(Collection<T> items, Function<T, Claim> claim) {
		Map<Long, Map<Integer, List<T>>> groups = items.stream()
			.sorted(Comparator.comparing((item) -> claim.apply(item).eventId()))
			.collect(Collectors.groupingBy((item) -> claim.apply(item).owner(), TreeMap::new,
					Collectors.groupingBy((item) -> claim.apply(item).number(), TreeMap::new, Collectors.toList())));
		List<ClaimGroup<T>> result = new ArrayList<>();
		groups.forEach((owner, byNumber) -> byNumber
			.forEach((number, members) -> result.add(new ClaimGroup<>(owner, number, members))));
		return result;
	}

	Map<String, Object> parameters(List<String> ids) {
		return Map.of("ids", ids, "owner", this.owner, "number", this.number);
	}

}
