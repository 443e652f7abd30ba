package dev.outbox.sample.order;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;

/**
 * What a customer sends to place an order.
 *
 * @param item what to order: text that every database can store
 * @param quantity how many of it
 */
record OrderRequest(@NotBlank @Size(max = 200) @Pattern(regexp = "[^\\p{Cc}\\p{Cs}]*",
		message = "must not contain control characters") String item, @Min(1) int quantity) {

}
