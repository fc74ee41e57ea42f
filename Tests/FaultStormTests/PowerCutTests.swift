import Foundation
import Testing
import TestSupport

/// The power fails at a random moment: everything that has not reached the device is lost.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct PowerCutTests {
  private static let cutCount = 30

  // Fault 77, 78, 79
  @Test(arguments: LoopImage.Kind.allCases)
  func `a power cut loses no acknowledged transfer and corrupts no file`(
    kind: LoopImage.Kind
  ) async throws {
    await Findings.gather("power cuts on \(kind)") { findings in
      if let obstacle = LoopImage.obstacle(kind) {
        findings.say("skipped: \(obstacle)")
        return
      }
      let numbers = Monitor((1...Self.cutCount).map { $0 })
      let worst = Monitor(Int64(0))
      let acknowledged = Monitor(0)
      let lane: @Sendable () -> Void = {
        while let number = numbers.update({ $0.isEmpty ? nil : $0.removeFirst() }) {
          do {
            let (cost, count) = try Self.cut(number, kind, findings)
            worst.update { $0 = max($0, cost) }
            acknowledged.update { $0 += count }
          } catch {
            findings.check(false, "cut \(number): \(error)")
          }
        }
      }
      together([lane, lane])
      findings.say(
        """
        \(Self.cutCount) cuts, \(acknowledged.read { $0 }) acknowledged transfers, at most \
        \(worst.read { $0 }) bytes of one fetched again
        """)
    }
  }

  /// Returns the most bytes that one transfer fetched again, and the number of acknowledged
  /// transfers.
  private static func cut(
    _ number: Int, _ kind: LoopImage.Kind, _ findings: Findings
  ) throws -> (Int64, Int) {
    var random = StormRandom.stream(UInt64(1000 + number))
    let image = try LoopImage(kind)
    defer { image.close() }
    let home = try StormHome(at: image.mountPoint)
    defer { for id in home.servicePIDs { kill(id, SIGKILL) } }
    let storm = try Storm(findings, home: home)
    let isCut = Monitor(false)
    return try storm.watched {
      let completed = try liveUntilCut(number, image, storm, isCut, &random)
      // Running clients may have started another service in between.
      for id in home.servicePIDs { kill(id, SIGKILL) }
      _ = eventually(milliseconds: 10_000, every: 10) { home.servicePIDs.isEmpty }
      try image.comeBack()
      isCut.update { $0 = false }
      return judge(storm, number, completed)
    }
  }

  /// Returns the IDs that a client had seen completed when the power failed.
  private static func liveUntilCut(
    _ number: Int, _ image: LoopImage, _ storm: Storm, _ isCut: Monitor<Bool>,
    _ random: inout StormRandom
  ) throws -> [String] {
    let delay = Int64.random(in: 300...3000, using: &random)
    let completed = Monitor<[String]>([])
    let copied = Monitor<Result<Void, any Error>?>(nil)
    together([
      {
        var random = StormRandom.stream(UInt64(2000 + number))
        addUntil(isCut, storm, &random)
      },
      {
        while !isCut.read({ $0 }) {
          let done = storm.home.rows()?.filter { $0.state == "completed" }.map(\.id) ?? []
          if !isCut.read({ $0 }) { completed.update { $0 = done.isEmpty ? $0 : done } }
        }
      },
      {
        _ = isCut.block(forMilliseconds: delay) { $0 }
        isCut.update { $0 = true }
        storm.killService(stoppingFirst: true)
        let result = Result { try image.cutPower() }
        copied.update { $0 = result }
      },
    ])
    try copied.read { $0 }?.get()
    return completed.read { $0 }
  }

  private static func addUntil(
    _ isCut: Monitor<Bool>, _ storm: Storm, _ random: inout StormRandom
  ) {
    let sizes: [Int64] = [0, 5000, 1 << 20, 7 << 20, 20 << 20, 24 << 20]
    var number = 0
    while !isCut.read({ $0 }), number < 8 {
      let size = sizes.randomElement(using: &random) ?? 0
      let body = SeededBody(seed: random.next(), byteCount: size)
      let file = StormFile(path: "/\(number).bin", body: body)
      let pace = Int64.random(in: (2 << 20)...(16 << 20), using: &random)
      // A client may start a service after the cut; what that fetches is not in the copy.
      storm.origin.serve(at: file.path) { _ in
        isCut.read { $0 }
          ? .status(503) : OriginBehavior(body).with { $0.bytesPerSecond = pace }
      }
      // An ID that was returned after the cut came from a service outside the copy.
      let known = storm.progress.read { $0.acknowledged }
      storm.add(file)
      if isCut.read({ $0 }) { storm.progress.update { $0.acknowledged = known } }
      number += 1
    }
  }

  private static func judge(
    _ storm: Storm, _ number: Int, _ completed: [String]
  ) -> (Int64, Int) {
    let findings = storm.findings
    let first = storm.home.rows()
    findings.check(first != nil, "cut \(number): no list after the cut: \(storm.home.log)")
    for id in completed {
      let row = first?.first { $0.id == id }
      findings.check(
        row?.state == "completed",
        "cut \(number): \(id) was completed and is \(row?.state ?? "lost")")
    }
    let rows = storm.finish(budgetSeconds: 60)
    storm.judge(rows)
    let (files, ledger) = storm.progress.read { ($0.files, $0.ledger) }
    let requests = storm.origin.requests
    var worst: Int64 = 0
    for row in rows {
      guard let file = files[row.urlPath] else { continue }
      let bill = ledger.bill(file.path, requests)
      findings.check(
        bill.isKept,
        "cut \(number): \(bill.path) fetched \(bill.refetched) bytes again\(bill.history)")
      worst = max(worst, bill.refetched)
    }
    return (worst, storm.progress.read { $0.acknowledged.count })
  }
}
