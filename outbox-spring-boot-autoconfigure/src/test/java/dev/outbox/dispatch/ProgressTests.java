package dev.outbox.dispatch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Progress}.
 */
class ProgressTests {

	@Test
	void anEventWithoutProgressHasNone() {
		Progress progress = Progress.read(null, false);
		assertThat(progress.isOpen("a")).isTrue();
		assertThat(progress.attempts("a")).isZero();
		assertThat(progress.write()).isNull();
	}

	@Test
	void whatWasWrittenIsRead() {
		Progress written = Progress.read(null, false);
		written.done("a");
		written.dead("b");
		written.tried("c", 12);
		assertThat(written.write()).isEqualTo("{\"a\":\"done\",\"b\":\"dead\",\"c\":\"12\"}");
		Progress progress = Progress.read(written.write(), false);
		assertThat(progress.isDone("a")).isTrue();
		assertThat(progress.isDead("b")).isTrue();
		assertThat(progress.isOpen("c")).isTrue();
		assertThat(progress.attempts("c")).isEqualTo(12);
		assertThat(progress.isOpen("d")).isTrue();
	}

	@Test
	void afterAReplayOnlyWhatIsDoneCounts() {
		Progress progress = Progress.read("{\"a\":\"done\",\"b\":\"dead\",\"c\":\"12\"}", true);
		assertThat(progress.isDone("a")).isTrue();
		assertThat(progress.isOpen("b")).isTrue();
		assertThat(progress.attempts("c")).isZero();
	}

}
