import KettleModel
import Testing

@testable import KettleDashboard

/// What is possible for the selected transfers.
struct SelectedRowsTests {
  private func rows(_ states: TransferState..., count: Int? = nil) -> SelectedRows {
    let rows = states.enumerated().map {
      Sample.row(Int64($0.offset), titled: "x", state: $0.element)
    }
    return SelectedRows(
      rows: rows, count: count ?? rows.count, selection: .ids(rows.map(\.id)), areMarked: true,
      whyNone: "none")
  }

  private func why(_ rows: SelectedRows) -> Availability {
    rows.availability(needsRow: true) { $0.state == .paused ? nil : "it is \($0.state)" }
  }

  @Test func `one row that allows it is enough`() {
    #expect(why(rows(.running, .paused)) == .possible)
    #expect(why(rows(.running)) == .impossible("it is running"))
    #expect(
      why(rows(.running, .running))
        == .impossible("not possible for any of the 2 marked: it is running"))
    #expect(why(rows(.running, .failed)) == .impossible("not possible for any of the 2 marked"))
  }

  @Test func `rows that were not sent may allow it`() {
    #expect(why(rows(.running, count: 9)) == .possible)
    #expect(why(rows(count: 9)) == .impossible("the marked row is not loaded; move to it first"))
  }

  @Test func `without a row the reason is given`() {
    let none = SelectedRows(rows: [], count: 0, areMarked: false, whyNone: "none")
    #expect(why(none) == .impossible("none"))
    #expect(none.availability(of: .sooner) == .impossible("none"))
  }

  @Test func `a priority step moves no transfer in the opposite direction`() {
    var selected = rows(.queued, .queued, .completed)
    selected.rows[0].priority = .low
    selected.rows[1].priority = .high
    selected.rows[2].priority = .low
    #expect(selected.nextPriority(.sooner) == .high)
    #expect(selected.nextPriority(.later) == .low)
    selected.rows[0].priority = .high
    #expect(selected.availability(of: .sooner) == .impossible("it already has high priority"))
  }
}
