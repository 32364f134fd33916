package io.scalegate.gate

class ScaleGateSuite extends GateContract with ScaleGateFixture
