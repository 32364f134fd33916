package io.scalegate

/** The parallel stream joins that the papers measure against, each a `JoinStrategy` over the same
  * spec, window and predicate as the others, so that what differs in a measurement is the method.
  *
  *   - `CellJoin`: one window, cut into equal segments for each probe (Gedik et al.).
  *   - `HandshakeJoin`: two streams that flow past each other (Teubner and Mueller).
  *   - `LowLatencyHandshakeJoin`: the same chain, tuples forwarded at once (Roy et al.).
  *   - `SplitJoin`: tuples sent down a tree, store and process apart (Najafi et al.).
  *   - `RoundRobinIndexJoin`: round-robin shares with an index each (PIM-Tree §2.2.3).
  *   - `ScaleOij`: buffers by key that a team of joiners shares (Zhang et al.).
  *
  * The three-step nested-loop join that all of them start from (Kang, Naughton, Viglas, ICDE 2003)
  * is `NestedLoopJoin`. Kang's steps are: probe the opposite window, insert into the own one,
  * expire the own one. A probe then meets what the probing tuple itself has made expire, so a few
  * pairs outside of the window come out; NestedLoopJoin expires first.
  */
package object baseline
