package io.scalegate.matrix

import io.scalegate.join.TypedJoinContract
import io.scalegate.partition.MatrixLayout

/** Every join type over the workers of a matrix. */
final class MatrixTypedJoinSuite
    extends TypedJoinContract(Seq(new MatrixJoin(MatrixLayout(2, 1))))
