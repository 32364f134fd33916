package io.scalegate.matrix

import io.scalegate.join.JoinStrategyContract
import io.scalegate.partition.MatrixLayout

abstract class MatrixJoinContract(rows: Int, columns: Int)
    extends JoinStrategyContract(new MatrixJoin(MatrixLayout(rows, columns)), cases = 15)

class MatrixJoin1x1Suite extends MatrixJoinContract(1, 1)
class MatrixJoinLinearSuite extends MatrixJoinContract(1, 3)
class MatrixJoinSquareSuite extends MatrixJoinContract(2, 2)
class MatrixJoinRectangularSuite extends MatrixJoinContract(3, 2)
