package dev.outbox.sample.mail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;

/**
 * Takes the place of a mail server: each mail is a file. It knows mails by their id, so
 * sending one again changes nothing.
 */
@Component
@EnableConfigurationProperties(MailProperties.class)
class MailServer {

	private static final Logger logger = LoggerFactory.getLogger(MailServer.class);

	private final MailProperties properties;

	MailServer(MailProperties properties) {
		this.properties = properties;
	}

	void send(String id, String text) throws IOException, InterruptedException {
		Thread.sleep(this.properties.takes().toMillis());
		Files.createDirectories(this.properties.directory());
		Files.writeString(this.properties.directory().resolve(id + ".txt"), text);
		logger.info("Mail {}: {}", id, text);
	}

	/**
	 * Return the texts of all mails, by their ids.
	 */
	List<String> sent() throws IOException {
		if (Files.notExists(this.properties.directory())) {
			return List.of();
		}
		List<String> texts = new ArrayList<>();
		try (Stream<Path> files = Files.list(this.properties.directory())) {
			for (Path file : files.sorted().toList()) {
				texts.add(Files.readString(file));
			}
		}
		return texts;
	}

}
