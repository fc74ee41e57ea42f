import SeededNumbers
import Testing

/// Tries inputs with one part until its time is up: the corpus first, then mutations.
///
/// Input N of a run depends only on the seed and N, so a run with the same seed tries the same
/// inputs, as many as the time allows.
struct Fuzzer<Part: FuzzPart> {
  private struct Finding: Sendable {
    var input: Part.Input
    var text: String
    /// From 1; nil if it comes from a file.
    var number: Int?
  }

  /// A part stops after this many different findings.
  private static var findingCountMax: Int { 8 }

  let part: Part
  let environment: FuzzEnvironment
  private let samples: [Part.Input]
  private let alarm: StallAlarm

  init(_ part: Part, _ environment: FuzzEnvironment = .current) {
    self.part = part
    self.environment = environment
    samples = part.samples
    alarm = StallAlarm(part: part.name)
  }

  func run() async throws {
    defer { alarm.end() }
    if let path = environment.inputPath {
      if Corpus.part(of: path) == part.name { try await replay(path) }
      return
    }
    say("seed \(environment.seed); try it again with KETTLE_SEED=\(environment.seed)")
    for path in Corpus.paths(of: part.name) { try await replay(path) }
    for sample in samples {
      let finding = await part.finding(for: sample)
      #expect(finding == nil, "a sample of \(part.name) fails: \(shown(sample))")
    }
    await mutate()
  }

  private func replay(_ path: String) async throws {
    let bytes = try #require(Corpus.bytes(at: path), "\(path) cannot be read")
    let input = try #require(part.input(from: bytes), "\(path) is no input of \(part.name)")
    if let finding = await part.finding(for: input) {
      Issue.record("\(path): \(finding)")
    }
  }

  private func mutate() async {
    let start = ContinuousClock.now
    let end = start + .seconds(environment.seconds(of: part))
    var reported: Set<String> = []
    var next = 1
    while ContinuousClock.now < end, reported.count < Self.findingCountMax {
      let (tried, found) = await pass(from: next, until: end)
      next += tried
      guard let found else { continue }
      let minimizer = Minimizer(part: part, checkCountMax: part.width > 1 ? 150 : 3000)
      let (input, text) = await minimizer.minimal(found.input, found.text)
      if reported.insert(part.kind(of: input)).inserted {
        report(Finding(input: input, text: text, number: found.number), after: start)
      }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    say("\(next - 1) inputs in \(Int(seconds)) s, \(reported.count) findings")
  }

  /// Tries inputs from number `first`, `width` at a time, until one fails. Returns the number of
  /// inputs tried, and the failure.
  private func pass(
    from first: Int, until end: ContinuousClock.Instant
  ) async -> (tried: Int, Finding?) {
    let width = part.width
    return await withTaskGroup(of: (tried: Int, Finding?).self) { group in
      for slot in 0..<width {
        group.addTask {
          let note = CrashNote(part: part.name, slot: slot)
          var tried = 0
          var number = first + slot
          while ContinuousClock.now < end, !Task.isCancelled {
            let input = input(number: number)
            note.write(part.text(of: input))
            let text = await part.finding(for: input)
            alarm.oneDone()
            tried += 1
            if let text { return (tried, Finding(input: input, text: text, number: number)) }
            number += width
          }
          return (tried, nil)
        }
      }
      var tried = 0
      var finding: Finding?
      for await result in group {
        tried += result.tried
        if finding == nil, result.1 != nil {
          finding = result.1
          group.cancelAll()
        }
      }
      return (tried, finding)
    }
  }

  private func input(number: Int) -> Part.Input {
    var random = SeededGenerator(seed: environment.seed &+ UInt64(number) &* 0x9E37_79B9)
    let input = samples[Int.random(in: samples.indices, using: &random)]
    var count = 1
    while Int.random(in: 0..<3, using: &random) > 0 { count += 1 }
    return part.mutated(input, times: count, &random)
  }

  private func report(_ finding: Finding, after start: ContinuousClock.Instant) {
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    let text = part.text(of: finding.input)
    let name = "failed-\(environment.seed)-\(finding.number ?? 0)"
    let path = Corpus.keep(text, of: part.name, as: name)
    Issue.record(
      """
      \(part.name): \(finding.text)
      seed \(environment.seed), input \(finding.number ?? 0), after \(seconds) s; \
      try it again with KETTLE_FUZZ_INPUT=\(path), and keep it in Tests/FuzzTests/Corpus/\(part.name)
      \(shown(finding.input))
      """)
  }

  private func shown(_ input: Part.Input) -> String {
    String(decoding: part.text(of: input).prefix(4000), as: UTF8.self)
      .replacing("\u{1b}", with: "\\u{1b}").replacing("\0", with: "\\0")
  }

  private func say(_ text: String) { FuzzLog.say(text, of: part.name) }
}
