import KettleCommands
import KettleModel
import KettleSystem

/// A clock that starts at 2026-11-21T12:00:00Z in a zone two hours east of UTC. Waiting returns
/// immediately and advances it, or, with `stands`, ends only when it is cancelled.
final class FakeClock: CommandClock {
  static let start: Int64 = 1_795_262_400_000

  private let stands: Bool
  private let elapsed = Mutex(Int64(0))

  init(stands: Bool = false) { self.stands = stands }

  var elapsedMilliseconds: Int64 { elapsed.withLock { $0 } }

  func now() -> Moment {
    let elapsed = elapsedMilliseconds
    return Moment(
      monotonic: MonotonicTime(milliseconds: 1_000_000 + elapsed),
      wall: WallTime(millisecondsSince1970: Self.start + elapsed))
  }

  func wait(milliseconds: Int64) async {
    if stands {
      await Self.untilCancelled()
    } else {
      elapsed.withLock { $0 += milliseconds }
    }
  }

  private static func untilCancelled() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      continuation.finish()
    }
  }

  func wallTime(ofLocal time: CivilTime) -> WallTime? {
    time.inUTC?.advanced(byMilliseconds: -7_200_000)
  }

  func localTime(of time: WallTime) -> CivilTime? {
    let text = time.advanced(byMilliseconds: 7_200_000).iso8601
    let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) }
    guard numbers.count == 6 else { return nil }
    return CivilTime(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
      second: numbers[5])
  }
}
