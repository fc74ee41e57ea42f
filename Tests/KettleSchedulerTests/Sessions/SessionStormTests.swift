import KettleModel
import KettleScheduler
import SeededNumbers
import Testing

/// Any order of events: each finished task or challenge ("news") launches a program at most once,
/// and none is forgotten.
@Suite struct SessionStormTests {
  /// The identity of a piece of news.
  private struct News: Hashable {
    var id: Int64
    var number: Int
    var isChallenge: Bool
  }

  private struct Storm {
    var world = SessionWorld()
    var random: SeededGenerator
    var tasks: [Int64: TransferState] = [:]
    var asking: [Int64: Int] = [:]
    var round = 0
    var nextID: Int64 = 0
    var isConnected = false
    /// The news that the program was launched for.
    var launched: Set<News> = []
    var launchCount = 0
    /// How often the session was armed since the last launch.
    var armedCount = 0
    /// A number for each task, which changes each time that it finishes.
    var finishes: [Int64: Int] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    var news: Set<News> {
      Set(
        tasks.compactMap { id, state in
          if let number = asking[id] { return News(id: id, number: number, isChallenge: true) }
          guard state == .completed || state == .failed else { return nil }
          return News(id: id, number: finishes[id] ?? 0, isChallenge: false)
        })
    }

    var isDone: Bool {
      !tasks.isEmpty && tasks.values.allSatisfy { $0 == .completed || $0 == .failed }
    }
  }

  private static func step(_ storm: inout Storm) {
    storm.round += 1
    storm.world.now.wall = storm.world.now.wall.advanced(byMilliseconds: 1)
    let known = storm.tasks.keys.sorted().randomElement(using: &storm.random)
    switch Int.random(in: 0..<14, using: &storm.random) {
    case 0: attach(&storm)
    case 1: detach(&storm)
    case 2:
      storm.nextID += 1
      set(storm.nextID, [.idle, .queued].randomElement(using: &storm.random) ?? .idle, &storm)
    case 3...6: if let known { finish(known, &storm) }
    case 7: if let known { set(known, .queued, &storm) }
    case 8: if let known { ask(known, &storm) }
    case 9:
      if let known {
        storm.tasks[known] = nil
        storm.asking[known] = nil
        storm.world.acknowledge(known)
      }
    case 10: storm.world.pass(Int64.random(in: 0...40_000, using: &storm.random))
    case 11: hear(&storm)
    case 12: restart(&storm)
    default: storm.world.perform(storm.world.table.finishEvents(of: SessionWorld.app))
    }
  }

  private static func attach(_ storm: inout Storm) {
    if storm.isConnected { return }
    storm.world.attach(
      UInt64(storm.round), processID: 7,
      processSession: [nil, 7, 200].randomElement(using: &storm.random) ?? nil)
    storm.isConnected = storm.world.table.sessions[SessionWorld.app]?.holder != nil
  }

  private static func detach(_ storm: inout Storm) {
    guard let holder = storm.world.table.sessions[SessionWorld.app]?.holder else { return }
    storm.isConnected = false
    storm.world.detach(holder.connection)
  }

  private static func set(_ id: Int64, _ state: TransferState, _ storm: inout Storm) {
    storm.tasks[id] = state
    storm.asking[id] = nil
    storm.armedCount += 1
    storm.world.task(id, state)
  }

  private static func finish(_ id: Int64, _ storm: inout Storm) {
    storm.tasks[id] = .completed
    storm.asking[id] = nil
    storm.finishes[id] = storm.round
    storm.world.task(id, .completed)
  }

  private static func ask(_ id: Int64, _ storm: inout Storm) {
    guard storm.tasks[id] == .queued else { return }
    storm.tasks[id] = .waiting
    storm.asking[id] = storm.round
    storm.armedCount += 1
    storm.world.task(id, .waiting, asking: storm.round)
  }

  private static func hear(_ storm: inout Storm) {
    guard let launch = storm.world.launches.randomElement(using: &storm.random) else { return }
    let app = SessionWorld.app
    let now = storm.world.now
    let actions =
      switch Int.random(in: 0..<3, using: &storm.random) {
      case 0: storm.world.table.launchStarted(of: app, launch, processID: 200)
      case 1: storm.world.table.launchFailed(of: app, launch, errno: "ENOENT", at: now)
      default: storm.world.table.launchEnded(of: app, launch, how: "exit 1", at: now)
      }
    storm.world.perform(actions)
  }

  private static func restart(_ storm: inout Storm) {
    storm.isConnected = false
    // The record stores whether a launch is due, but not for which news.
    if storm.world.record?.launch == .armed { storm.armedCount += 1 }
    var tasks: [TransferSnapshot] = []
    for (id, state) in storm.tasks.sorted(by: { $0.key < $1.key }) {
      var snapshot = storm.world.snapshot(id, state, asking: storm.asking[id])
      if state == .completed {
        // The time at which it finished.
        snapshot.finishedAt = WallTime(millisecondsSince1970: Int64(storm.finishes[id] ?? 0))
      }
      tasks.append(snapshot)
    }
    storm.world.restart(tasks)
  }

  @Test func `each finished task or challenge causes at most one launch in any order of events`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var launchCount = 0
    for game: UInt64 in 0..<300 {
      var storm = Storm(seed: seed &+ game)
      for _ in 0..<120 {
        let before = storm.world.launches.count
        let held = storm.world.table.sessions[SessionWorld.app]?.holder
        Self.step(&storm)
        let count = storm.world.launches.count - before
        guard count > 0 else { continue }
        launchCount += 1
        let news = storm.news
        let place = "seed \(seed), game \(game), round \(storm.round)"
        #expect(count == 1, "\(place): \(count) launches")
        #expect(held == nil || !storm.isConnected, "\(place): beside a program")
        #expect(storm.isDone || news.contains { $0.isChallenge }, "\(place): for nothing")
        #expect(
          !news.isSubset(of: storm.launched) || storm.armedCount > 0,
          "\(place): twice for the same")
        storm.launched.formUnion(news)
        storm.armedCount = 0
      }
      Self.expectNothingForgotten(&storm, "seed \(seed), game \(game)")
    }
    // Without launches the test would prove nothing.
    #expect(launchCount > 300)
  }

  /// After a period without events, all news that may cause a launch must have caused one.
  private static func expectNothingForgotten(_ storm: inout Storm, _ place: String) {
    let before = storm.world.launches.count
    detach(&storm)
    for _ in 0..<3 { storm.world.pass(700_000) }
    if storm.world.launches.count > before { storm.launched.formUnion(storm.news) }
    guard storm.world.table.sessions[SessionWorld.app] != nil, storm.isDone else { return }
    if storm.news.isSubset(of: storm.launched) { return }
    Issue.record("\(place): \(storm.news.subtracting(storm.launched)) launched nobody")
  }
}
