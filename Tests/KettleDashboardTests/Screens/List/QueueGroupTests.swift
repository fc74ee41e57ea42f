import KettleModel
import Testing

@testable import KettleDashboard

/// The list grouped by the user's queues.
struct QueueGroupTests {
  private static func list() throws -> LongList {
    let night = try #require(QueueName("night"))
    var list = LongList(0)
    list.rows = Array(Sample.rows.prefix(4))
    list.rows[2].queue = night
    list.rows[3].queue = night
    list.isGrouped = true
    list.queues = [
      QueueSnapshot(name: .standard, runningCount: 2),
      QueueSnapshot(
        name: night, transfersMax: 2, hours: "01:00-06:00", isOpen: false,
        until: Sample.time(seconds: 7200)),
    ]
    return list
  }

  @Test func `g in the sort menu groups by state, by queue, and not at all`() throws {
    let list = try Self.list()
    var model = list.model()
    var groupings: [RowSort.Grouping?] = [model.list.view.sort.grouping]
    for _ in 0..<3 {
      list.press(.character("o"), .character("g"), in: &model)
      groupings.append(model.list.view.sort.grouping)
    }
    #expect(groupings == [.work, .queues, nil, .work])
  }

  @Test func `each queue has a heading that says what it permits`() throws {
    let list = try Self.list()
    var model = list.model(columns: 80, rows: 16)
    list.press(.character("o"), .character("g"), in: &model)
    let headings = model.screen().lines.filter { $0.contains("╌╌╌") }
    #expect(headings.count == 2)
    #expect(headings.first?.contains(" default 2 ╌╌╌") == true)
    #expect(headings.last?.contains(" night 2, closed until 14:00, 0 of 2 running ╌╌") == true)
  }

  @Test func `a queue is folded like any group, and remembered`() throws {
    let list = try Self.list()
    var model = list.model()
    list.press(.character("o"), .character("g"), .end, .left, in: &model)
    let night = try #require(QueueName("night"))
    #expect(model.list.view.folded == [.queue(night)])
    #expect(model.list.choices.folded == [.queue(night)])
    #expect(model.screen().lines.contains { $0.contains("▸ night 2, closed until 14:00") })
  }

  @Test func `the filter takes a queue`() throws {
    let list = try Self.list()
    var model = list.model()
    list.press(.character("\\"), in: &model)
    list.type("queue:night", in: &model)
    #expect(model.list.view.filter.queue?.text == "night")
    #expect(model.list.rowCount == 2)
  }

  @Test func `the command queue moves the selected transfers`() throws {
    let list = try Self.list()
    var model = list.model()
    list.press(.character(":"), in: &model)
    list.type("queue night", in: &model)
    let night = try #require(QueueName("night"))
    #expect(
      list.press(.enter, in: &model).contains(.service(.assign(.ids([list.rows[0].id]), night))))
    _ = model.update(
      .commandFinished(.assigned(night, appliedCount: 1, refused: [])), at: Sample.now)
    #expect(model.screen().lines.contains { $0.contains("1 transfer moved to the queue night") })
  }
}
