package dev.outbox.sample.mail;

import java.nio.file.Path;
import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where mails go.
 *
 * @param directory Directory that takes the place of a mail server.
 * @param takes Time it takes to send a mail. Make it long to see what happens to events
 * meanwhile.
 */
@ConfigurationProperties("sample.mail")
record MailProperties(@DefaultValue("./data/mails") Path directory, @DefaultValue("0s") Duration takes) {

}
