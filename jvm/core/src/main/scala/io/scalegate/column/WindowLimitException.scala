package io.scalegate.column

/** A window reached the number of rows that its operator may keep. */
final class WindowLimitException(val rows: Int, val limit: Int)
    extends IllegalStateException(
      s"the join's window holds $rows rows and needs more, but its limit is $limit rows; " +
        "narrow the window, add a key or partition the input further, or raise the limit"
    )
