package dev.outbox.engine;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The outbox as a whole.
 *
 * @param mode How events are delivered.
 * @param shutdown What happens when the application stops.
 */
@ConfigurationProperties("outbox")
public record EngineProperties(@DefaultValue("multi-node") OutboxMode mode, @DefaultValue Shutdown shutdown) {

	/**
	 * What happens when the application stops.
	 *
	 * @param drain How long running listeners may take before they are interrupted.
	 * Should be below spring.lifecycle.timeout-per-shutdown-phase.
	 */
	public record Shutdown(@DefaultValue("20s") Duration drain) {

		public Shutdown {
			if (drain.isNegative() || drain.isZero()) {
				throw new IllegalArgumentException("outbox.shutdown.drain must be positive");
			}
		}

	}

}
