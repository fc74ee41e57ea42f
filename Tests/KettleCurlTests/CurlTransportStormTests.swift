import KettleCurl
import KettleEngine
import KettleModel
import SeededNumbers
import Testing
import TestSupport

/// Many attempts in every state, with commands in any order.
struct CurlTransportStormTests {
  private let body = SeededBody(seed: 21, byteCount: 300_000)

  private var behaviors: [OriginBehavior] {
    let good = OriginBehavior(body)
    return [
      good, good.with { $0.framing = .chunked }, good.with { $0.framing = .untilClose },
      good.with { $0.ending = .cut(after: 70_000, .fin) },
      good.with { $0.ending = .cut(after: 70_000, .reset) },
      good.with { $0.framing = .chunkedWithoutEnd }, good.with { $0.bytesPerSecond = 3_000_000 },
      good.with { $0.stall = .init(after: 50_000, until: "never") }, .status(204),
      .status(404, text: "no"), .nothing(.fin), .nothing(.reset), .raw("rubbish\r\n\r\n"),
      .redirect(to: "/0"), .status(401, text: "who"),
    ]
  }

  private func changeLimits(
    _ transport: CurlTransport, using random: inout SeededGenerator
  ) {
    let limits: [Int64?] = [nil, 1_000_000, 5_000_000, 1 << 30]
    let limit = limits.randomElement(using: &random) ?? nil
    switch Int.random(in: 0..<10, using: &random) {
    case 0: transport.limitAll(toBytesPerSecond: limit.map { $0 * 10 })
    case 1...3: transport.limit(TransferID(rawValue: 4), toBytesPerSecond: limit)
    default: break
    }
  }

  @Test func `every attempt ends once, and complete bodies are correct`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let origin = try ScriptedOrigin()
    for (index, behavior) in behaviors.enumerated() { origin.serve(behavior, at: "/\(index)") }
    let probe = try TransportProbe()
    var sinks: [AttemptID: RecordingSink] = [:]
    var paths: [AttemptID: Int] = [:]
    for _ in 0..<300 {
      let path = behaviors.indices.randomElement(using: &random) ?? 0
      let id = probe.begin(try origin.url("/\(path)")) {
        $0.timeouts.idleMilliseconds = 400
        $0.transfer = TransferID(rawValue: path.isMultiple(of: 4) ? 4 : 1)
      }
      paths[id] = path
      let fullEvery = Int.random(in: 2...9, using: &random)
      let enough = Int.random(in: 1...60, using: &random)
      changeLimits(probe.transport, using: &random)
      sinks[id] = RecordingSink { [transport = probe.transport] record in
        if record.callCount == enough { return .satisfied }
        guard record.callCount.isMultiple(of: fullEvery) else { return .taken }
        transport.resumeReceiving(id)
        return .full
      }
      if Int.random(in: 0..<8, using: &random) == 0 { probe.transport.cancel(id) }
      if Int.random(in: 0..<3, using: &random) == 0 {
        let known = try await probe.headOrEnd(of: id)
        if known != nil, let sink = sinks[id] { probe.transport.accept(id, into: sink) }
        if Int.random(in: 0..<6, using: &random) == 0 { probe.transport.cancel(id) }
      }
    }
    probe.transport.shutDown()
    let events = probe.reported.read { $0 }
    for (id, path) in paths {
      #expect(events.ends(of: id).count == 1, "seed \(seed), path \(path)")
      #expect(events.headCount(of: id) <= 1, "seed \(seed), path \(path)")
      let bytes = sinks[id]?.bytes ?? []
      if path < 6 {
        #expect(
          bytes.elementsEqual(body.bytes(in: 0..<Int64(bytes.count))), "seed \(seed), path \(path)")
      }
      if path < 3, events.ends(of: id) == [.complete] {
        #expect(bytes.count == 300_000, "seed \(seed), path \(path)")
      }
      if (3...5).contains(path) {
        #expect(events.ends(of: id) != [.complete], "seed \(seed), path \(path)")
      }
    }
  }
}
