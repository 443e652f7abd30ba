package dev.outbox.node;

/**
 * Is told what becomes of this node's lease.
 */
public interface LeaseListener {

	/**
	 * The node was declared dead: nothing it claimed under this id belongs to it any
	 * more.
	 * @param nodeId the id that is gone
	 */
	void lost(long nodeId);

	/**
	 * The lease has just been prolonged or taken anew.
	 */
	void renewed();

}
