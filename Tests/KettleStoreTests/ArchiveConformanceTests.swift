import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

@testable import KettleStore

/// The store answers every query like the simple reference implementation in memory.
@Suite struct ArchiveConformanceTests {
  private static let roundCount = 6

  /// A store and the journal in memory, with the same contents after random changes.
  private struct World {
    let scratch: StoreScratch
    let store: SQLiteJournal
    let plain = InMemoryJournal()
    var random: RandomRecords
    let seed: UInt64

    init() throws {
      seed = UInt64.random(in: 0...UInt64.max)
      random = RandomRecords(seed: seed)
      scratch = try StoreScratch(in: StoreScratch.inMemory)
      store = try scratch.open().journal
    }

    mutating func commit(_ changes: [JournalChange]) throws {
      try store.commit(changes)
      try plain.commit(changes)
    }

    /// Adds some transfers, changes some slightly or completely, and removes some.
    mutating func change() throws {
      let last = plain.records.keys.max()?.rawValue ?? 0
      try commit((last + 1...last + 60).map { .put(random.record($0)) })
      let changed = random.ids(1...last + 60, count: 30).map { id -> JournalChange in
        guard var record = plain.records[id] else { return .put(random.record(id.rawValue)) }
        let other = random.record(id.rawValue)
        if Bool.random(using: &random.random) { record.state = other.state }
        record.resumeData = other.resumeData
        record.finishedAt = other.finishedAt
        return .put(record)
      }
      try commit(changed + random.ids(1...last + 70, count: 15).map { .remove($0) })
      let number = Int64.random(in: 0...30, using: &random.random)
      if Bool.random(using: &random.random) { try commit([.clearFinished(upTo: number)]) }
    }
  }

  private func rounds(_ body: (inout World, Comment) throws -> Void) throws {
    var world = try World()
    for round in 0..<Self.roundCount {
      try world.change()
      try body(&world, "seed \(world.seed), round \(round)")
    }
  }

  private func check(
    _ found: [TransferRecord], _ expected: [TransferRecord], _ comment: Comment
  ) {
    #expect(found.map(\.id.rawValue) == expected.map(\.id.rawValue), comment)
    #expect(found.elementsEqual(expected), comment)
  }

  @Test func `the queue for estimates is the plain one, and places in it are counted`() throws {
    try rounds { world, comment in
      let expected = try world.plain.queue(countMax: 1000)
      #expect(try world.store.queue(countMax: 1000).map(\.id) == expected.map(\.id), comment)
      #expect(try world.store.queue(countMax: 7) == Array(expected.prefix(7)), comment)
      for record in world.plain.records.values.prefix(20) {
        let (priority, place) = (record.spec.priority, QueuePosition(record))
        #expect(
          try world.store.queuedCount(before: priority, place)
            == world.plain.queuedCount(before: priority, place), comment)
      }
    }
  }

  @Test func `a load returns the non-dormant transfers and the totals of the dormant ones`() throws
  {
    try rounds { world, comment in
      for store in [world.store, try reopened(&world)] {
        let (found, expected) = (try store.load(), try world.plain.load())
        check(found.records, expected.records, comment)
        #expect(found.dormant == expected.dormant, comment)
        #expect(found.positions == expected.positions, comment)
        #expect(found.lastFinishNumber == expected.lastFinishNumber, comment)
        #expect(found.lastID == expected.lastID, comment)
        #expect(found.lastTaskIdentifiers == expected.lastTaskIdentifiers, comment)
        #expect(found.clearedUpTo == expected.clearedUpTo, comment)
      }
    }
  }

  /// The store as the next service finds it after a kill at this point.
  private func reopened(_ world: inout World) throws -> SQLiteJournal {
    let copy = try StoreScratch(in: StoreScratch.inMemory)
    try StorePaths(copy.path).prepareDirectory()
    for suffix in ["", "-wal"] {
      try copy.put(try world.scratch.bytes(world.scratch.path + suffix), copy.path + suffix)
    }
    return try StoreOpening.open(copy.path, at: StoreScratch.now, wholeByteCountMax: 0).journal
  }

  @Test func `records are returned in the requested order without removed ones`() throws {
    try rounds { world, comment in
      let ids = world.random.ids(1...450, count: 50)
      check(try world.store.records(ids), try world.plain.records(ids), comment)
    }
  }

  @Test func `the queue is ordered by priority, position and id`() throws {
    try rounds { world, comment in
      for _ in 0..<10 {
        let (origins, countMax) = world.random.request()
        var requests = [QueueRead.elsewhere(than: origins, countMax: countMax)]
        requests += origins.map { .at($0, countMax: countMax) }
        requests += requests.map { request in
          var request = request
          request.leftOut = Set(
            ["default", "night", "bulk"].filter { _ in world.random.number(0...1) == 0 }
              .compactMap { QueueName($0) })
          return request
        }
        for request in requests {
          check(try world.store.line(request), try world.plain.line(request), comment)
        }
      }
    }
  }

  @Test func `neighbours match those in the list`() throws {
    try rounds { world, comment in
      let places = world.random.places().map { QueuePosition(position: $0.position, id: $0.id) }
      let states = world.random.states()
      for side in [ListSide.before, .after] {
        check(
          try world.store.neighbours(of: places, side) { _, _ in true },
          try world.plain.neighbours(of: places, side) { _, _ in true }, comment)
        check(
          try world.store.neighbours(of: places, side) { states.contains($1) },
          try world.plain.neighbours(of: places, side) { states.contains($1) }, comment)
      }
    }
  }

  @Test func `dormant transfers are returned by id after a given one`() throws {
    try rounds { world, comment in
      for after in [nil, TransferID(rawValue: 60), TransferID(rawValue: 5000)] {
        let states = world.random.states()
        check(
          try world.store.dormant(in: states, after: after, countMax: 25),
          try world.plain.dormant(in: states, after: after, countMax: 25), comment)
      }
    }
  }

  @Test func `the first transfer of each URL is found`() throws {
    try rounds { world, comment in
      var urls = Set(
        world.plain.records.values.prefix(9).map(\.spec.url.text) + ["https://none.example/"])
      for _ in 0..<2 {
        check(try world.store.find(urls: urls), try world.plain.find(urls: urls), comment)
        urls = []
      }
    }
  }

  // MARK: The order

  @Test(arguments: RowSort.Key.allCases)
  func `the list is ordered correctly with every filter`(_ key: RowSort.Key) throws {
    try rounds { world, comment in
      let clearedUpTo = try world.plain.load().clearedUpTo
      var rows = RowMaker(
        documentsDirectory: "/Documents", heldDirectory: "/held", clearedUpTo: clearedUpTo)
      for (_, id) in world.random.places() { rows.failedHooks[id] = "failed" }
      for filter in [RowFilter(), RowFilter(scope: .uncleared)]
        + (0..<4).map({ _ in
          world.random.filter()
        })
      {
        for (isDescending, grouping) in [
          (false, nil), (true, nil), (false, .work), (true, .work), (false, .queues),
          (true, .queues), (false, .directories), (true, .directories),
        ] as [(Bool, RowSort.Grouping?)] {
          var sort = RowSort(key: key, isDescending: isDescending, grouping: grouping)
          if grouping == .queues {
            sort.queues = ["night", "default"].compactMap { QueueName($0) }
          }
          let found = try world.store.order(filter, sort, rows: rows)
          let expected = try world.plain.order(filter, sort, rows: rows)
          #expect(
            areAlike(found, expected),
            "\(comment), \(filter), \(sort)")
        }
      }
    }
  }

  @Test func `a plain name in a URL is the name that the file gets`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RandomRecords(seed: seed)
    var plainCount = 0
    for _ in 0..<3000 {
      let url = Sample.url("https://a.example:8080/x/" + random.name())
      let name = plainName(url.text)
      // Both implementations agree on which names are plain.
      #expect(name == FileName.plainLastSegment(of: url.path.utf8.span), "\(url), seed \(seed)")
      guard let name else { continue }
      plainCount += 1
      #expect(name == FileName.fromURL(url), "\(url), seed \(seed)")
    }
    #expect(plainCount > 100, "seed \(seed)")
  }

  @Test(arguments: [
    "https://a.example", "https://a.example?b/name.iso", "https://a.example#b/name.iso",
    "https://a.example/?b/name.iso", "https://a.example/#b/name.iso", "a/b/", "", "/", "//",
  ])
  func `a URL without a file name gives no plain name`(_ text: String) {
    #expect(plainName(text) == nil)
  }

  private func plainName(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { PlainRow.plainName(inURL: $0) }
  }

  private func areAlike(_ one: StoredOrder, _ other: StoredOrder) -> Bool {
    one.sections.elementsEqual(other.sections) { one, other in
      one.section == other.section && one.isDescending == other.isDescending
        && one.ids == other.ids && areAlike(one.keys, other.keys)
    }
  }

  private func areAlike(_ one: StoredOrder.Keys, _ other: StoredOrder.Keys) -> Bool {
    switch (one, other) {
    case (.numbers(let one), .numbers(let other)): one.elementsEqual(other)
    case (.reals(let one), .reals(let other)): one.elementsEqual(other)
    case (.texts(let one), .texts(let other)):
      one.count == other.count && (0..<one.count).allSatisfy { one[$0] == other[$0] }
    case (.numbers, _), (.reals, _), (.texts, _): false
    }
  }
}
