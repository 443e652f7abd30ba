package dev.outbox.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A network between a pool and its server that can be disturbed.
 */
public final class TcpProxy implements AutoCloseable {

	private static final byte[] COMMIT = "COMMIT".getBytes(StandardCharsets.US_ASCII);

	private final String jdbcUrl;

	private final InetSocketAddress server;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final int port;

	private @Nullable ServerSocket listening;

	private volatile boolean hole;

	private volatile @Nullable Cut cut;

	private TcpProxy(String jdbcUrl) throws IOException {
		URI uri = URI.create(jdbcUrl.substring("jdbc:".length()));
		this.jdbcUrl = jdbcUrl;
		this.server = new InetSocketAddress(uri.getHost(), uri.getPort());
		this.port = listen(0);
	}

	/**
	 * Put a network in front of a server.
	 * @param jdbcUrl a URL with the server's host and port
	 */
	public static TcpProxy to(String jdbcUrl) throws IOException {
		return new TcpProxy(jdbcUrl);
	}

	/**
	 * The URL that leads through this network.
	 */
	public String url() {
		return this.jdbcUrl.replaceFirst("//[^/]+/", "//127.0.0.1:" + this.port + "/");
	}

	/**
	 * Let new connections through again. What happened to older ones stays as it is, but
	 * those that were opened into a hole are reset: a network would have repeated what
	 * was said there, and the pool's only thread for new connections waits for the
	 * answer.
	 */
	public synchronized void pass() throws IOException {
		this.hole = false;
		this.links.stream().filter((link) -> link.openedIntoHole).forEach(Link::reset);
		if (this.listening == null) {
			listen(this.port);
		}
	}

	/**
	 * Swallow all that is sent, either way, so that nobody notices. Connections that
	 * exist now never answer any more, those that are opened meanwhile do not answer.
	 */
	public void blackHole() {
		this.hole = true;
		this.links.forEach((link) -> link.swallowed = true);
	}

	/**
	 * Reset all connections.
	 */
	public void reset() {
		this.links.forEach(Link::reset);
	}

	/**
	 * Reset all connections and refuse new ones.
	 */
	public synchronized void refuse() throws IOException {
		if (this.listening != null) {
			this.listening.close();
			this.listening = null;
		}
		reset();
	}

	/**
	 * Reset the next connection on which a text has been sent when the COMMIT after it is
	 * sent.
	 * @param after the text
	 * @param reached whether the COMMIT still reaches the server, so that only its answer
	 * is lost
	 */
	public void cutAtCommit(String after, boolean reached) {
		this.cut = new Cut(after.getBytes(StandardCharsets.US_ASCII), reached);
	}

	/**
	 * Whether the connection that was to be cut has been cut.
	 */
	public boolean hasCut() {
		return this.cut == null;
	}

	private synchronized int listen(int port) throws IOException {
		ServerSocket socket = new ServerSocket();
		socket.setReuseAddress(true);
		socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
		this.listening = socket;
		start(() -> accept(socket));
		return socket.getLocalPort();
	}

	private void accept(ServerSocket socket) {
		while (!socket.isClosed()) {
			try {
				Socket client = socket.accept();
				Link link = new Link(client, new Socket(this.server.getHostString(), this.server.getPort()));
				link.openedIntoHole = this.hole;
				link.swallowed = link.openedIntoHole;
				this.links.add(link);
				start(link::forward);
				start(link::back);
			}
			catch (IOException ex) {
				// closed, or the server is down: whoever connected notices by itself
			}
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		refuse();
	}

	private static int indexOf(byte[] text, int length, byte[] part) {
		for (int i = 0; i <= length - part.length; i++) {
			int matching = 0;
			while (matching < part.length && text[i + matching] == part[matching]) {
				matching++;
			}
			if (matching == part.length) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * A connection to be cut.
	 */
	private record Cut(byte[] after, boolean reached) {

	}

	/**
	 * A connection and its continuation to the server.
	 */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private volatile boolean swallowed;

		private volatile boolean openedIntoHole;

		private volatile boolean answerLost;

		private boolean marked;

		private Link(Socket client, Socket server) throws IOException {
			this.client = client;
			this.server = server;
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		private void forward() {
			pump(this.client, this.server, true);
		}

		private void back() {
			pump(this.server, this.client, false);
		}

		private void pump(Socket from, Socket to, boolean forward) {
			byte[] buffer = new byte[16_384];
			try {
				InputStream input = from.getInputStream();
				OutputStream output = to.getOutputStream();
				for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
					if (this.swallowed) {
						continue;
					}
					if (forward ? isCut(buffer, count) : this.answerLost) {
						reset();
						return;
					}
					output.write(buffer, 0, count);
				}
				if (!this.swallowed) {
					to.shutdownOutput();
				}
			}
			catch (IOException ex) {
				if (!this.swallowed) {
					reset();
				}
			}
		}

		private boolean isCut(byte[] sent, int count) {
			Cut wanted = TcpProxy.this.cut;
			if (wanted == null) {
				return false;
			}
			this.marked |= indexOf(sent, count, wanted.after()) >= 0;
			if (!this.marked || indexOf(sent, count, COMMIT) < 0) {
				return false;
			}
			TcpProxy.this.cut = null;
			this.answerLost = true;
			return !wanted.reached();
		}

		private void reset() {
			TcpProxy.this.links.remove(this);
			for (Socket socket : new Socket[] { this.client, this.server }) {
				try {
					socket.setSoLinger(true, 0);
					socket.close();
				}
				catch (IOException ex) {
					// it is closed already
				}
			}
		}

	}

}
