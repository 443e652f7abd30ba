package dev.outbox.sample;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.http.MediaType;

import static org.assertj.core.api.Assertions.assertThat;

class SampleRestartTests {

	@Test
	void ordersAndEventsAreStillThereAfterARestart(@TempDir Path directory) {
		try (RunningSample sample = RunningSample.startIn(directory)) {
			sample.http()
				.post()
				.uri("/orders")
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"item\":\"book\",\"quantity\":1}")
				.exchange()
				.expectStatus()
				.isCreated();
			sample.awaitDelivery();
		}
		try (RunningSample sample = RunningSample.startIn(directory)) {
			sample.http()
				.get()
				.uri("/orders")
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody()
				.jsonPath("$.length()")
				.isEqualTo(1)
				.jsonPath("$[0].item")
				.isEqualTo("book");
			assertThat(sample.count("outbox_event")).isOne();
			assertThat(sample.count("shipment")).isOne();
		}
	}

}
