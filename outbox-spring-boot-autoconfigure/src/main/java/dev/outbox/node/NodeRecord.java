package dev.outbox.node;

import java.time.Duration;

/**
 * A node as the others see it.
 *
 * @param id its id, which is new with every start
 * @param name its name for people
 * @param dead whether it has been declared dead
 * @param sinceBeat how long ago it last gave a sign of life, by the database's clock
 */
public record NodeRecord(long id, String name, boolean dead, Duration sinceBeat) {

}
