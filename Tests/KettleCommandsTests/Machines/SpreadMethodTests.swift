import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

/// What each machine is asked, and what the results are together.
struct SpreadMethodTests {
  private let names = ["nas", "box", "attic"]
  private let nas = ListedMachine(ids: MachineIDs(index: 0), name: "nas")
  private let box = ListedMachine(ids: MachineIDs(index: 1), name: "box")

  private func id(_ own: Int64, _ index: Int) -> TransferID {
    TransferID(rawValue: own * 64 + Int64(index))
  }

  private func own(_ ids: Int64...) -> [TransferID] { ids.map(TransferID.init(rawValue:)) }

  @Test func `ids go to their machines, in order`() {
    let parts = TransferSelection.ids([id(7, 1), id(3, 0), id(1, 1)]).parts(among: names)
    #expect(parts.byMachine == [1: .ids(own(7, 1)), 0: .ids(own(3))])
    #expect(!parts.isForAll)
  }

  @Test func `a filter goes to all machines, with the exceptions of each`() {
    let filter = RowFilter(states: [.failed])
    let parts = TransferSelection.matching(filter, except: [id(2, 1)]).parts(among: names)
    #expect(
      parts.byMachine == [
        0: .matching(filter, except: []), 1: .matching(filter, except: own(2)),
        2: .matching(filter, except: []),
      ])
    #expect(parts.isForAll)
    let one = TransferSelection.matching(RowFilter(machine: "box"), except: [id(2, 0)])
      .parts(among: names)
    #expect(one.byMachine == [1: .matching(RowFilter(), except: [])])
    #expect(!one.isForAll)
    #expect(TransferSelection.all.parts(among: names).byMachine.count == 3)
  }

  @Test func `the results of controls are joined in the numbers of the list`() {
    let left = ControlTransfers.shared(
      .init(
        applied: own(1, 2), refused: [.init(id: TransferID(rawValue: 3), why: .completed)],
        bin: BinBytes(transferCount: 1, byteCount: 10, until: WallTime(millisecondsSince1970: 9))),
      of: nas)
    let right = ControlTransfers.shared(
      .init(
        applied: own(1, .max), refused: [],
        keptFiles: [.init(id: TransferID(rawValue: 4), path: "/a")],
        bin: BinBytes(
          transferCount: 2, byteCount: .max, until: WallTime(millisecondsSince1970: 5))),
      of: box)
    let both = ControlTransfers.joined(left, right)
    #expect(both.applied == [id(1, 0), id(2, 0), id(1, 1)])
    #expect(both.refused == [.init(id: id(3, 0), why: .completed)])
    #expect(both.keptFiles == [.init(id: id(4, 1), path: "/a")])
    #expect(
      both.bin
        == BinBytes(
          transferCount: 3, byteCount: .max, until: WallTime(millisecondsSince1970: 5)))
  }

  @Test func `a request about one transfer goes to its machine`() {
    let parts = DescribeTransfer.parts(of: .init(id: id(9, 2)), among: names)
    #expect(parts.byMachine == [2: .init(id: TransferID(rawValue: 9))])
    let details = DescribeTransfer.shared(
      TransferDetails(snapshot: snapshot(9, .paused)), of: box)
    #expect(details.snapshot.id == id(9, 1))
    #expect(details.snapshot.machine == "box")
  }

  @Test func `the bin has the latest actions of all machines first`() {
    func action(_ number: Int64, at time: Int64) -> BinSnapshot {
      BinSnapshot(
        BinAction(number: number, kind: .stop, at: WallTime(millisecondsSince1970: time)))
    }
    let both = ListBin.joined(
      ListBin.shared(.init(actions: [action(2, at: 50), action(1, at: 10)]), of: nas),
      ListBin.shared(.init(actions: [action(2, at: 60), action(1, at: 50)]), of: box))
    #expect(both.actions.map(\.number) == [129, 128, 65, 64])
    #expect(
      UndoAction.parts(of: .init(number: 129), among: names).byMachine == [1: .init(number: 2)])
  }

  @Test func `news and sums are added, and the first machine has a URL`() {
    var news = TransferNews(since: WallTime(millisecondsSince1970: 7))
    news.failedCount = 2
    var other = TransferNews(since: WallTime(millisecondsSince1970: 3))
    (other.failedCount, other.completedByteCount) = (1, .max)
    let both = ReportNews.joined(.init(news: news), .init(news: other)).news
    #expect(both?.failedCount == 3)
    #expect(both?.since == WallTime(millisecondsSince1970: 3))
    #expect(ReportNews.joined(.init(), .init(news: other)).news == other)
    #expect(
      SumFinished.joined(
        .init(completedCount: 1, completedByteCount: .max),
        .init(completedCount: 2, completedByteCount: 1))
        == .init(completedCount: 3, completedByteCount: .max))
    let found = FindURLs.Found(url: "u", id: TransferID(rawValue: 1), state: .paused)
    #expect(
      FindURLs.joined(
        FindURLs.shared(.init(found: [found]), of: nas),
        FindURLs.shared(.init(found: [found]), of: box)
      ).found.map(\.id) == [id(1, 0)])
  }
}
