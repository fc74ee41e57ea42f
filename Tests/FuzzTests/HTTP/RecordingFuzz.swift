import KettleModel
import KettleScheduler
import KettleSystem
import SeededNumbers
import TestSupport

/// Recordings that change while they are fetched: a completed file is one of the recordings that
/// were served, from its first segment to its last.
struct RecordingFuzz: FuzzPart {
  let name = "recording"
  let sharePercent = 6
  let width = 8
  let samples = PlaylistScript.samples
  private let world: DownloadWorld

  init(_ world: DownloadWorld) { self.world = world }

  func mutated(
    _ input: PlaylistScript, times count: Int, _ random: inout SeededGenerator
  ) -> PlaylistScript {
    (0..<count).reduce(input) { script, _ in script.mutated(&random) }
  }

  func kind(of input: PlaylistScript) -> String {
    "\(input.form): " + input.steps.map(\.event.rawValue).joined(separator: ", ")
  }

  func simplifications(of input: PlaylistScript) -> [PlaylistScript] { input.simplifications }
  func text(of input: PlaylistScript) -> [UInt8] { ReadableJSON.text(of: input) }

  func input(from text: [UInt8]) -> PlaylistScript? {
    let script: PlaylistScript? = ReadableJSON.value(from: text)
    return script.flatMap { (1...6).contains($0.segmentCount) ? $0 : nil }
  }

  func finding(for script: PlaylistScript) async -> String? {
    do {
      let (origin, number) = try world.origin()
      let interruptions = Interruptions(world)
      let recording = RecordingOrigin(script, at: "/\(number)") { change in
        interruptions.interrupt(change)
      }
      recording.serve(on: origin)
      let end = try await world.download(
        origin.url(recording.path), number: number, connections: 1
      ) { interruptions.begin($0) }
      return Self.finding(end, recording)
    } catch {
      return "\(error)"
    }
  }

  private static func finding(
    _ end: DownloadWorld.End, _ recording: RecordingOrigin
  ) -> String? {
    let wire = "\n" + recording.wire.joined(separator: "\n")
    guard let row = end.row else { return "the transfer does not come to rest" + wire }
    if row.state == .completed, end.files.count != 1 {
      return "completed with \(end.files.count) files" + wire
    }
    guard let wrong = end.files.first(where: { !recording.files.contains($0) }) else { return nil }
    return "a wrong file of \(wrong.count) bytes is completed" + wire
  }

  /// Interrupts one transfer. What is to happen before its id is known waits for that.
  private final class Interruptions: Sendable {
    private struct State: Sendable {
      var id: TransferID?
      var early: [@Sendable () -> Void] = []
      /// One interruption follows the other.
      var last: Task<Void, Never>?
    }

    private let world: DownloadWorld
    private let state = Mutex(State())

    init(_ world: DownloadWorld) { self.world = world }

    func begin(_ id: TransferID) {
      let early = state.withLock { state in
        state.id = id
        return state.early
      }
      early.forEach { interrupt($0) }
    }

    /// The change happens between two runs of the transfer, while nothing is requested.
    func interrupt(_ change: @escaping @Sendable () -> Void) {
      let id = state.withLock { state in
        if state.id == nil { state.early.append(change) }
        return state.id
      }
      guard let id else { return }
      state.withLock { state in
        let (world, before) = (world, state.last)
        state.last = Task {
          await before?.value
          await world.control(.pause, id)
          change()
          await world.control(.start, id)
        }
      }
    }
  }
}
