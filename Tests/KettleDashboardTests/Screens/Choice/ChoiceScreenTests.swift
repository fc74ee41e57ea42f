import KettleModel
import Testing

@testable import KettleDashboard

/// The files of a collection, and the choice among them.
struct ChoiceScreenTests {
  private static let id = Sample.choiceID

  private func complete(columns: Int = 80, rows: Int = 12) throws -> Dashboard {
    Sample.choosing(columns: columns, rows: rows)
  }

  @Test func `the list is read page by page`() throws {
    var model = Sample.model(
      columns: 80, rows: 24, showing: [Sample.collectionToChoose])
    #expect(model.press(.home, .enter) == [.service(.loadMembers(Self.id, from: 0))])
    let more = model.update(.membersArrived(Self.id, Sample.members), at: Sample.now)
    #expect(more == [.service(.loadMembers(Self.id, from: 6))])
    #expect(lines(model).contains(" 5 files so far"))
    #expect(model.press(.enter).isEmpty)
    #expect(model.update(.membersArrived(Self.id, []), at: Sample.now).isEmpty)
  }

  @Test func `the list is read on after the connection was lost`() throws {
    var model = Sample.model(columns: 80, rows: 24, showing: [Sample.collectionToChoose])
    _ = model.press(.home, .enter)
    _ = model.update(.membersArrived(Self.id, Sample.members), at: Sample.now)
    let again = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(again.contains(.service(.loadMembers(Self.id, from: 6))))
    // A page that arrives twice counts once.
    #expect(model.update(.membersArrived(Self.id, Sample.members), at: Sample.now).isEmpty)
    #expect(lines(model).contains(" 5 files so far"))
    _ = model.update(.membersArrived(Self.id, []), at: Sample.now)
    let complete = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(!complete.contains { if case .service(.loadMembers) = $0 { true } else { false } })
  }

  private func lines(_ model: Dashboard) -> [String] {
    model.screen().lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test func `the files are a tree with sizes, and everything is chosen`() throws {
    #expect(
      Array(lines(try complete()).prefix(8))
        == [
          "♨ Choose the files of hf://org/model",
          "[x] ▾ weights/                                                        >5.0 GiB",
          "[x]   ▾ old/                                                                 ?",
          "[x]       c.bin                                                              ?",
          "[x]     a.safetensors                                                  2.0 GiB",
          "[x]     b.safetensors                                                  3.0 GiB",
          "[x]   README.md                                                        4.0 KiB",
          "[x]   config.json                                                        700 B",
        ].map { " " + $0 })
  }

  @Test func `a directory is chosen with all of its files, and its mark says which part is`()
    throws
  {
    var model = try complete()
    _ = model.press(.character(" "))
    #expect(lines(model)[1].hasPrefix(" [ ] ▾ weights/"))
    #expect(lines(model).contains { $0.hasPrefix(" 2 of 5 files, 4.7 KiB of >5.0 GiB") })
    // The cursor is on the next row.
    _ = model.press(.down, .down, .character(" "))
    #expect(lines(model)[1].hasPrefix(" [-] ▾ weights/"))
    #expect(
      model.press(.enter) == [
        .service(
          .chooseMembers(
            Self.id,
            leavingOut: [MemberRun(first: 1, last: 1), MemberRun(first: 3, last: 3)]))
      ])
    #expect(model.keyContext == .list)
  }

  @Test func `only files with a text are shown, and a choice of all concerns these`() throws {
    var model = try complete()
    _ = model.press(.character("/"))
    _ = model.type("SAFE")
    _ = model.press(.enter)
    #expect(lines(model)[1].hasPrefix(" [x] ▾ weights/"))
    #expect(lines(model)[2].hasPrefix(" [x]     a.safetensors"))
    #expect(!lines(model).contains { $0.contains("README") })
    _ = model.press(.character("*"))
    _ = model.press(.character("/"), .escape)
    #expect(lines(model)[1].hasPrefix(" [-] ▾ weights/"))
    #expect(lines(model).contains { $0.hasPrefix(" 3 of 5 files") })
  }

  @Test func `directories fold`() throws {
    var model = try complete()
    _ = model.press(.left)
    #expect(lines(model)[1].hasPrefix(" [x] ▸ weights/"))
    #expect(lines(model)[2].hasPrefix(" [x]   README.md"))
    _ = model.press(.right)
    #expect(lines(model)[2].contains("old/"))
    // From a file to its directory.
    _ = model.press(.down, .down, .left, .character(" "))
    #expect(lines(model)[2].hasPrefix(" [ ]   ▾ old/"))
  }

  @Test func `nothing is started without a file`() throws {
    var model = try complete()
    _ = model.press(.character("*"))
    #expect(model.press(.enter).isEmpty)
    #expect(model.press(.escape).isEmpty)
    #expect(model.keyContext == .list)
  }

  @Test(arguments: [(40, 12), (80, 24), (120, 35)])
  func `it fits on every screen`(columns: Int, rows: Int) throws {
    let shown = lines(try complete(columns: columns, rows: rows))
    #expect(shown.contains { $0.contains("README.md") && $0.hasSuffix("4.0 KiB") })
    #expect(shown.allSatisfy { $0.count <= columns })
  }

  @Test func `50,000 files stay fluent`() throws {
    var tree = MemberTree()
    let clock = ContinuousClock()
    let members = (0..<50_000).compactMap { Sample.member($0, "d\($0 % 300)/e\($0 % 7)/f\($0)") }
    let reading = clock.measure {
      for start in stride(from: 0, to: members.count, by: 500) {
        tree.append(Array(members[start..<min(start + 500, members.count)]))
      }
      tree.sort()
    }
    #expect(tree.all.count == 50_000)
    // A key takes a small part of what a page of a list takes; both are far below a second.
    let key = clock.measure {
      tree.toggle(row: 0)
      tree.fold(row: 0, true)
      tree.find("f4999")
    }
    #expect(tree.rowCount > 10)
    #expect(reading < .seconds(60) && key < .seconds(5), "\(reading) \(key)")
  }
}
