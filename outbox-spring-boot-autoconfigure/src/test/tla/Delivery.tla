------------------------------ MODULE Delivery ------------------------------
(***************************************************************************)
(* How an event gets from the transaction that writes it to its listener:  *)
(* the protocol that all nodes follow, with whatever may die, stall or get *)
(* lost in between. Each step below is one statement on the database, or   *)
(* one thing that happens in the memory of one node; TLC tries every order *)
(* in which they can follow each other.                                    *)
(*                                                                         *)
(* Time does not appear. A lease is good, then in doubt (the node itself   *)
(* sees that its time may be up), then over (the database says so); that   *)
(* doubt comes first is what the node's own clock has to ensure. A paused  *)
(* node is one that takes no step while its lease runs out; its next step, *)
(* if it is ever taken, is its resumption.                                 *)
(***************************************************************************)
EXTENDS Naturals, Sequences, TLC

CONSTANTS
    Nodes, Events,
    Faults,      \* which kinds of faults may happen
    MaxFaults,   \* how many of them in all
    MaxRetries,  \* how many attempts may fail and be repeated, in all
    MaxReplays,  \* how many dead events an operator replays, in all

    Repairs,     \* which of the repairs below are in place
    Broken       \* in which of the ways below the protocol is broken

\* See docs/decisions/model-checked-protocol.md for what came of them.
SettleAsksNode == "SettleAsksNode" \in Repairs        \* a settlement also needs its node to be alive
SweepWaitsForPoll == "SweepWaitsForPoll" \in Repairs  \* no self-release while a claim is under way
SweepSeesCommit == "SweepSeesCommit" \in Repairs      \* an event is not known merely for being written

ReaperSweepsOnce == "ReaperSweepsOnce" \in Broken      \* a dead node is swept once and never again
SettleWithoutClaim == "SettleWithoutClaim" \in Broken  \* settlements match the event only
ClaimNumberIgnored == "ClaimNumberIgnored" \in Broken  \* settlements match the owner, not the number
VerifySkipped == "VerifySkipped" \in Broken            \* what is handed over is delivered unread
LateNodeKeepsId == "LateNodeKeepsId" \in Broken        \* a marked node registers again under its old id
LocalLeaseIgnored == "LocalLeaseIgnored" \in Broken    \* deliveries start though the lease may be over
StaleHandOver == "StaleHandOver" \in Broken            \* a change of id is not noticed by what was written before
PurgeUnguarded == "PurgeUnguarded" \in Broken          \* purge does not look at the status
SelfReleaseAtOnce == "SelfReleaseAtOnce" \in Broken    \* one sweep is enough to give back a row
SelfReleaseKnown == "SelfReleaseKnown" \in Broken      \* a sweep takes queued events for forgotten
SelfReleaseMissing == "SelfReleaseMissing" \in Broken  \* what a node has lost track of stays with it

ASSUME Repairs \subseteq {"SettleAsksNode", "SweepWaitsForPoll", "SweepSeesCommit"}
ASSUME Broken \subseteq {"ReaperSweepsOnce", "SettleWithoutClaim", "ClaimNumberIgnored", "VerifySkipped",
    "LateNodeKeepsId", "LocalLeaseIgnored", "StaleHandOver", "PurgeUnguarded", "SelfReleaseAtOnce",
    "SelfReleaseKnown", "SelfReleaseMissing"}
ASSUME Faults \subseteq {"crash", "lapse", "unknown commit", "lost completion", "late claim",
    "lost reply", "slow reply"}

VARIABLES
    row,      \* the event table: status, owner (0: none), number of the claim
    tx,       \* the transaction that wrote the event, as the database sees it
    lease,    \* the node table: state of each id ever registered, by id
    dead,     \* ids that were ever marked dead
    id,       \* the id each node goes by, 0 while its process is down
    items,    \* what nodes have in memory: one record per claim they know of
    poll,     \* per node, the claim statement whose reply is under way
    unknown,  \* per node, rows of its own that its last sweep did not know
    swept,    \* ids the reaper is through with, if it ever is
    calls,    \* calls of the listener, less those that failed, for G3 only
    faults, retries, replays  \* how many there were

vars == <<row, tx, lease, dead, id, items, poll, unknown, swept, calls,
          faults, retries, replays>>
database == <<row, tx>>
registry == <<lease, dead, id>>
counters == <<faults, retries, replays>>

Symmetry == Permutations(Nodes) \union Permutations(Events)

Pending == {"NEW", "RETRY"}
Finished == {"DONE", "DEAD", "gone"}
NoPoll == [e |-> 0]

Up(n) == id[n] # 0
Visible(e) == tx[e] = "committed" /\ row[e].st # "gone"
Holds(i) == row[i.e].owner = i.id /\ row[i.e].claim = i.claim
\* Where nodes die, calls may repeat, and counting them would only cost states.
Counted == {"crash", "lapse"} \intersect Faults = {}
Item(n, e, owner, claim, ph) ==
    [n |-> n, e |-> e, id |-> owner, claim |-> claim, ph |-> ph, out |-> "none"]
Become(i, ph) == items' = (items \ {i}) \union {[i EXCEPT !.ph = ph]}

Fault(kind) == /\ kind \in Faults /\ faults < MaxFaults
               /\ faults' = faults + 1
               /\ UNCHANGED <<retries, replays>>

Init ==
    /\ row = [e \in Events |-> [st |-> "none", owner |-> 0, claim |-> 0]]
    /\ tx = [e \in Events |-> "none"]
    /\ lease = <<>>
    /\ dead = {}
    /\ id = [n \in Nodes |-> 0]
    /\ items = {}
    /\ poll = [n \in Nodes |-> NoPoll]
    /\ unknown = [n \in Nodes |-> {}]
    /\ swept = {}
    /\ calls = [e \in Events |-> 0]
    /\ faults = 0 /\ retries = 0 /\ replays = 0

-----------------------------------------------------------------------------
(* Nodes come, beat, go, and are declared dead.                            *)

Register(n) == /\ lease' = Append(lease, "good")
               /\ id' = [id EXCEPT ![n] = Len(lease) + 1]

Start(n) ==
    /\ ~Up(n) /\ Register(n)
    /\ UNCHANGED <<database, dead, items, poll, unknown, swept, calls, counters>>

\* All memory is lost. An open transaction is left to the database, which may
\* have received its commit already.
Crash(n) ==
    /\ Up(n) /\ Fault("crash")
    /\ id' = [id EXCEPT ![n] = 0]
    /\ lease' = [lease EXCEPT ![id[n]] = IF @ = "dead" THEN @ ELSE "over"]
    /\ items' = {i \in items : i.n # n}
    /\ poll' = [poll EXCEPT ![n] = NoPoll]
    /\ unknown' = [unknown EXCEPT ![n] = {}]
    /\ UNCHANGED <<database, dead, swept, calls>>

\* Beats fail to come: a pause, a slow network, a busy machine.
Lapse(n) ==
    /\ Up(n) /\ lease[id[n]] = "good" /\ Fault("lapse")
    /\ lease' = [lease EXCEPT ![id[n]] = "doubt"]
    /\ UNCHANGED <<database, dead, id, items, poll, unknown, swept, calls>>

Expire(n) ==
    /\ Up(n) /\ lease[id[n]] = "doubt"
    /\ lease' = [lease EXCEPT ![id[n]] = "over"]
    /\ UNCHANGED <<database, dead, id, items, poll, unknown, swept, calls, counters>>

\* Beat and mark exclude each other: each is one conditional update.
Beat(n) ==
    /\ Up(n) /\ lease[id[n]] \in {"doubt", "over"}
    /\ lease' = [lease EXCEPT ![id[n]] = "good"]
    /\ UNCHANGED <<database, dead, id, items, poll, unknown, swept, calls, counters>>

MarkDead(x) ==
    /\ \E n \in Nodes : Up(n)
    /\ lease[x] = "over"
    /\ lease' = [lease EXCEPT ![x] = "dead"]
    /\ dead' = dead \union {x}
    /\ UNCHANGED <<database, id, items, poll, unknown, swept, calls, counters>>

\* The beat of a marked node fails. It drops its queue and goes on under a new
\* id; running deliveries and open transactions cannot be stopped.
Rebirth(n) ==
    /\ Up(n) /\ lease[id[n]] = "dead"
    /\ IF LateNodeKeepsId
       THEN /\ lease' = [lease EXCEPT ![id[n]] = "good"]
            /\ UNCHANGED <<id, items, unknown>>
       ELSE /\ Register(n)
            /\ items' = {i \in items : i.n # n \/ i.ph \notin {"queued", "verified"}}
            /\ unknown' = [unknown EXCEPT ![n] = {}]
    /\ UNCHANGED <<database, dead, poll, swept, calls, counters>>

-----------------------------------------------------------------------------
(* Writing, and what follows the end of the transaction.                   *)

\* With a slot in the queue, the row is born claimed and the claim is known
\* from here on. The lease is not looked at: the slot may have been taken
\* long before the row is written.
InsertHot(n, e) ==
    /\ Up(n) /\ tx[e] = "none"
    /\ tx' = [tx EXCEPT ![e] = "open"]
    /\ row' = [row EXCEPT ![e] = [st |-> "NEW", owner |-> id[n], claim |-> 1]]
    /\ items' = items \union {Item(n, e, id[n], 1, "written")}
    /\ UNCHANGED <<registry, poll, unknown, swept, calls, counters>>

InsertCold(n, e) ==
    /\ Up(n) /\ tx[e] = "none"
    /\ tx' = [tx EXCEPT ![e] = "open"]
    /\ row' = [row EXCEPT ![e] = [st |-> "NEW", owner |-> 0, claim |-> 0]]
    /\ UNCHANGED <<registry, items, poll, unknown, swept, calls, counters>>

\* The database decides, at whatever time, whoever is still there to hear it.
EndTransaction(e) ==
    /\ tx[e] = "open"
    /\ \E end \in {"committed", "rolled back"} : tx' = [tx EXCEPT ![e] = end]
    /\ UNCHANGED <<row, registry, items, poll, unknown, swept, calls, counters>>

HandOver(i) ==
    IF i.id = id[i.n] \/ StaleHandOver THEN Become(i, "queued") ELSE items' = items \ {i}

\* What the node is told. After a rollback this may still be "committed", and
\* it may be "unknown" while the database has not decided yet.
Complete(i) ==
    /\ i.ph = "written"
    /\ \/ tx[i.e] # "open" /\ HandOver(i) /\ UNCHANGED counters
       \/ tx[i.e] = "rolled back" /\ items' = items \ {i} /\ UNCHANGED counters
       \/ tx[i.e] = "open" /\ Fault("unknown commit") /\ HandOver(i)
    /\ UNCHANGED <<database, registry, poll, unknown, swept, calls>>

\* The foreign code that was to call us back never does.
LoseCompletion(i) ==
    /\ i.ph = "written" /\ Fault("lost completion")
    /\ Become(i, "lost")
    /\ UNCHANGED <<database, registry, poll, unknown, swept, calls>>

-----------------------------------------------------------------------------
(* Delivering.                                                             *)

Verify(i) ==
    /\ i.ph = "queued"
    /\ IF VerifySkipped \/ (Visible(i.e) /\ row[i.e].st \in Pending /\ Holds(i))
       THEN Become(i, "verified")
       ELSE items' = items \ {i}
    /\ UNCHANGED <<database, registry, poll, unknown, swept, calls, counters>>

Take(n, e) ==
    /\ Up(n) /\ poll[n] = NoPoll
    /\ Visible(e) /\ row[e].st \in Pending /\ row[e].owner = 0
    /\ row' = [row EXCEPT ![e].owner = id[n], ![e].claim = @ + 1]
    /\ poll' = [poll EXCEPT ![n] = [e |-> e, id |-> id[n], claim |-> row[e].claim + 1,
                                    old |-> FALSE]]
    /\ UNCHANGED <<tx, registry, items, unknown, swept, calls>>

Poll(n, e) == Up(n) /\ lease[id[n]] = "good" /\ Take(n, e) /\ UNCHANGED counters

\* A claim that is carried out long after it was decided on.
PollLate(n, e) == Up(n) /\ lease[id[n]] # "good" /\ Take(n, e) /\ Fault("late claim")

\* What a poll brings is not verified: nobody else can have touched it unless
\* this node has died meanwhile, and then it starts nothing.
PollReply(n) ==
    /\ poll[n] # NoPoll
    /\ items' = IF poll[n].id = id[n]
                THEN items \union {Item(n, poll[n].e, poll[n].id, poll[n].claim, "verified")}
                ELSE items
    /\ poll' = [poll EXCEPT ![n] = NoPoll]
    /\ UNCHANGED <<database, registry, unknown, swept, calls, counters>>

PollReplyLost(n) ==
    /\ poll[n] # NoPoll /\ Fault("lost reply")
    /\ poll' = [poll EXCEPT ![n] = NoPoll]
    /\ UNCHANGED <<database, registry, items, unknown, swept, calls>>

\* The look at the lease and the call of the listener are one step here.
Deliver(i) ==
    /\ i.ph = "verified"
    /\ i.id = id[i.n] \/ StaleHandOver
    /\ lease[id[i.n]] = "good" \/ LocalLeaseIgnored
    /\ Become(i, "running")
    /\ calls' = IF Counted THEN [calls EXCEPT ![i.e] = @ + 1] ELSE calls
    /\ UNCHANGED <<database, registry, poll, unknown, swept, counters>>

Return(i) ==
    /\ i.ph = "running"
    /\ \E out \in {"DONE", "RETRY", "DEAD"} :
        /\ items' = (items \ {i}) \union {[i EXCEPT !.ph = "settling", !.out = out]}
        /\ retries' = IF out = "RETRY" THEN retries + 1 ELSE retries
        /\ retries' <= MaxRetries
        /\ calls' = IF Counted /\ out # "DONE" THEN [calls EXCEPT ![i.e] = @ - 1] ELSE calls
    /\ UNCHANGED <<database, registry, poll, unknown, swept, faults, replays>>

\* Outcomes wait in a buffer for as long as it takes, and are written if the
\* claim still holds; otherwise they are counted and forgotten.
Write(i) ==
    LET match == /\ Visible(i.e)
                 /\ \/ SettleWithoutClaim
                    \/ row[i.e].owner = i.id /\ (ClaimNumberIgnored \/ Holds(i))
                 /\ SettleAsksNode => lease[i.id] # "dead"
    IN IF match THEN row' = [row EXCEPT ![i.e].st = i.out, ![i.e].owner = 0]
       ELSE UNCHANGED row

Settle(i) ==
    /\ i.ph = "settling" /\ Write(i)
    /\ items' = items \ {i}
    /\ UNCHANGED <<tx, registry, poll, unknown, swept, calls, counters>>

\* The outcome is written, but the node is not told and will try again.
SettleReplyLost(i) ==
    /\ i.ph = "settling" /\ Write(i) /\ Fault("lost reply")
    /\ UNCHANGED <<tx, registry, items, poll, unknown, swept, calls>>

-----------------------------------------------------------------------------
(* Taking back, cleaning up.                                               *)

\* Any node that runs may do it, and does so for ever: a row can become
\* visible long after its owner died.
Reap(x) ==
    LET found == {e \in Events : Visible(e) /\ row[e].st \in Pending /\ row[e].owner = x}
    IN /\ \E n \in Nodes : Up(n)
       /\ lease[x] = "dead"
       /\ IF ReaperSweepsOnce
          THEN x \notin swept /\ swept' = swept \union {x}
          ELSE found # {} /\ UNCHANGED swept
       /\ row' = [e \in Events |-> IF e \in found THEN [row[e] EXCEPT !.owner = 0] ELSE row[e]]
       /\ UNCHANGED <<tx, registry, items, poll, unknown, calls, counters>>

\* A node lists its rows and gives back what it did not know twice in a row.
\* Replies are not so slow as to span two sweeps, unless that is the fault.
Known(n, e) == \E i \in items :
    /\ i.n = n /\ i.e = e /\ Holds(i)
    /\ SweepSeesCommit => i.ph \notin {"written", "lost"}
    /\ SelfReleaseKnown => i.ph \notin {"written", "queued", "verified"}

Sweep(n) ==
    LET own == {e \in Events : Visible(e) /\ row[e].st \in Pending /\ row[e].owner = id[n]}
        missed == {<<e, row[e].claim>> : e \in {o \in own : ~Known(n, o)}}
        back == IF SelfReleaseAtOnce THEN missed ELSE missed \intersect unknown[n]
    IN /\ Up(n) /\ ~SelfReleaseMissing
       /\ missed # unknown[n] \/ back # {}
       /\ SweepWaitsForPoll => poll[n] = NoPoll
       /\ IF poll[n] # NoPoll /\ poll[n].old THEN Fault("slow reply") ELSE UNCHANGED counters
       /\ poll' = IF poll[n] = NoPoll THEN poll ELSE [poll EXCEPT ![n].old = TRUE]
       /\ row' = [e \in Events |-> IF <<e, row[e].claim>> \in back
                                   THEN [row[e] EXCEPT !.owner = 0] ELSE row[e]]
       /\ unknown' = [unknown EXCEPT ![n] = missed \ back]
       /\ UNCHANGED <<tx, registry, items, swept, calls>>

Replay(e) ==
    /\ Visible(e) /\ row[e].st = "DEAD" /\ replays < MaxReplays
    /\ replays' = replays + 1
    /\ row' = [row EXCEPT ![e] = [st |-> "NEW", owner |-> 0, claim |-> @.claim + 1]]
    /\ UNCHANGED <<tx, registry, items, poll, unknown, swept, calls, faults, retries>>

Purge(e) ==
    /\ Visible(e) /\ (row[e].st = "DONE" \/ PurgeUnguarded)
    /\ row' = [row EXCEPT ![e] = [st |-> "gone", owner |-> 0, claim |-> 0]]
    /\ UNCHANGED <<tx, registry, items, poll, unknown, swept, calls, counters>>

-----------------------------------------------------------------------------
Ids == DOMAIN lease

\* What happens by itself, sooner or later.
Progress ==
    \/ \E n \in Nodes : \/ Start(n) \/ Beat(n) \/ Rebirth(n) \/ PollReply(n) \/ Sweep(n)
                        \/ \E e \in Events : Poll(n, e)
    \/ \E x \in Ids : MarkDead(x) \/ Reap(x)
    \/ \E e \in Events : EndTransaction(e)
    \/ \E i \in items : Complete(i) \/ Verify(i) \/ Deliver(i) \/ Return(i) \/ Settle(i)

\* What may happen or not.
Chance ==
    \/ \E n \in Nodes : \/ Crash(n) \/ Lapse(n) \/ Expire(n) \/ PollReplyLost(n)
                        \/ \E e \in Events : InsertHot(n, e) \/ InsertCold(n, e) \/ PollLate(n, e)
    \/ \E i \in items : LoseCompletion(i) \/ SettleReplyLost(i)
    \/ \E e \in Events : Replay(e) \/ Purge(e)

Next == Progress \/ Chance

\* Nothing in Progress can go round in circles without a fault, and faults are
\* counted, so one fairness condition for all of it is enough.
Spec == Init /\ [][Next]_vars /\ WF_vars(Progress)

-----------------------------------------------------------------------------
(* What is guaranteed.                                                     *)

\* G1: what was committed ends finished, after a replay too, and stays so.
G1_Delivered == \A e \in Events :
    <>[](tx[e] = "committed" => row[e].st \in Finished)

\* G1: and finished means that the listener was called for this very claim.
G1_OutcomeOfItsClaim == [][\A e \in Events :
    (row[e].st \in Pending /\ row'[e].st # row[e].st /\ row'[e].st # "gone") =>
        \E i \in items : i.ph = "settling" /\ i.e = e /\ Holds(i) /\ i.out = row'[e].st]_vars

\* G2: no listener is called with what was not committed.
G2_CommittedOnly == \A i \in items : i.ph \in {"running", "settling"} => tx[i.e] = "committed"

\* G3: not called again unless the call before has failed.
G3_Once == \A e \in Events : calls[e] <= 1

\* G5: under an id that was marked dead no delivery starts,
G5_DeadStartsNothing == [][\A i \in items' :
    (i.ph = "running" /\ i \notin items) => i.id \notin dead]_vars

\* G5: and, at its word, no event's state changes.
G5_DeadChangesNothing == [][\A e \in Events :
    (row[e].st \in Pending /\ row'[e].st # row[e].st /\ row'[e].st # "gone") =>
        row[e].owner \notin dead]_vars

\* G7: only what is done is purged, and what is finished is not overwritten.
G7_NothingUnfinishedGoes == [][\A e \in Events :
    /\ (row[e].st \in Pending => row'[e].st # "gone")
    /\ (row[e].st = "DONE" => row'[e].st \in {"DONE", "gone"})
    /\ (row[e].st = "DEAD" => \/ row'[e] = row[e]
                              \/ row'[e].st = "NEW" /\ row'[e].claim > row[e].claim)]_vars
=============================================================================
