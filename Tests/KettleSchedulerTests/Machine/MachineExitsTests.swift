import Testing

@testable import KettleScheduler

/// The table of legal transitions. `TransferMachine` asserts it at every transition, so the random
/// order tests cover it.
struct MachineExitsTests {
  private typealias Kind = TransferMachine.State.Kind

  @Test func `every state is reachable from the initial states`() {
    var reached: Set<Kind> = [.idle, .scheduled, .queued, .paused]
    while true {
      let next = reached.reduce(reached) { $0.union($1.exits) }
      if next == reached { break }
      reached = next
    }
    #expect(reached == Set(Kind.allCases))
  }

  @Test func `every state except removed leads to removal`() {
    for kind in Kind.allCases where kind != .removed {
      var reached = kind.exits
      for _ in Kind.allCases { reached = reached.reduce(reached) { $0.union($1.exits) } }
      #expect(reached.contains(.removed), "\(kind)")
    }
    #expect(Kind.removed.exits.isEmpty)
  }

  @Test func `attempts end before another operation begins`() {
    #expect(Kind.running.exits == [.running, .ending])
    for kind in Kind.allCases where kind.exits.contains(.running) {
      #expect([.queued, .running, .ending].contains(kind), "\(kind)")
    }
  }

  @Test
  func `only a rename, an existing file, its members or the undo of a reset completes a transfer`()
  {
    let before = Kind.allCases.filter { $0.exits.contains(.completed) }
    #expect(before == [.idle, .ending, .waiting, .placing])
  }

  @Test func `a completed transfer leaves only by reset, removal and the sync of a collection`() {
    #expect(Kind.completed.exits == [.idle, .waiting, .discarding, .removed])
  }
}
