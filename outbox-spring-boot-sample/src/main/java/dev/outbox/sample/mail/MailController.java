package dev.outbox.sample.mail;

import java.io.IOException;
import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sent mails over HTTP.
 */
@RestController
class MailController {

	private final MailServer mails;

	MailController(MailServer mails) {
		this.mails = mails;
	}

	@GetMapping("/mails")
	List<String> list() throws IOException {
		return this.mails.sent();
	}

}
