import KettleDashboard
import KettleModel
import Testing

struct AttentionTests {
  private func totals(_ counts: [TransferState: Int]) -> Totals {
    var totals = Totals()
    totals.counts = counts
    return totals
  }

  /// Returns the announcements made while the counts change in these steps.
  private func announced(_ steps: [TransferState: Int]...) -> [String] {
    var model = Dashboard(size: ScreenSize(columns: 80, rows: 24))
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    var texts: [String] = []
    for counts in steps {
      let effects = model.update(.rowsArrived(.empty, totals(counts)), at: Sample.now)
      let rings = effects.count { $0 == .terminal(.ring) }
      let new = effects.compactMap { effect in
        if case .terminal(.announce(let text)) = effect { text } else { nil }
      }
      #expect(rings == new.count)
      texts += new
    }
    return texts
  }

  @Test func `the end of the last transfer is announced once`() {
    #expect(
      announced(
        [.running: 2, .completed: 5], [.running: 1, .completed: 6], [.completed: 7],
        [.completed: 7]) == ["All transfers are done"])
    #expect(
      announced([.running: 2], [.running: 1, .failed: 1], [.completed: 1, .failed: 1])
        == ["1 transfer failed", "All transfers have ended; 1 transfer failed"])
  }

  @Test func `a failure is announced whether or not other transfers are running`() {
    #expect(announced([.running: 9], [.running: 6, .failed: 3]) == ["3 transfers failed"])
    #expect(
      announced([.running: 1], [.failed: 1])
        == ["All transfers have ended; 1 transfer failed"])
  }

  @Test func `changes made by the user do not ring the bell`() {
    #expect(announced([.running: 3], [.paused: 3]) == [])
    #expect(announced([.running: 3, .completed: 2], [.completed: 2]) == [])
    #expect(announced([.failed: 3], [.failed: 1], [.running: 1]) == [])
  }

  @Test func `failures from before or during a disconnection are not announced`() {
    #expect(announced([.failed: 3]) == [])
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    let effects = model.update(
      .rowsArrived(.empty, totals([.failed: 99])), at: Sample.now)
    #expect(!effects.contains(.terminal(.ring)))
  }

  @Test func `extreme counts from the service do not overflow`() {
    #expect(
      announced([.running: .max, .queued: .max], [.failed: .max, .running: .min]).count == 1)
  }
}
