package dev.outbox.dead;

/**
 * What a replay of many events did.
 *
 * @param dryRun whether nothing was to be changed
 * @param matched how many dead events the query matched at the start, whatever the limit
 * @param replayed how many are delivered again; 0 if nothing was to be changed
 */
public record ReplayReport(boolean dryRun, long matched, int replayed) {

}
