import Dispatch
import FoundationEssentials
import Glibc
import KettleClient
import KettleControl
import KettleDashboard
import KettleModel
import KettleStarter
import KettleSystem

/// The file in which the dashboard remembers the user's choices. It is a convenience: what cannot
/// be read or written is forgotten without an error.
final class ChoicesFile: Sendable {
  static let byteCountMax = 1 << 20

  private let paths: ServicePaths
  /// The disk may be busy, so the terminal does not wait for it.
  private let queue = DispatchQueue(label: "kettle.choices")

  init(environment: [String: String]) { paths = ServicePaths.of(environment: environment) }

  /// Returns the defaults if the file is missing, unreadable or invalid.
  func read() -> DashboardChoices {
    let contents = FileContents.read(path: paths.choicesPath, byteCountMax: Self.byteCountMax)
    guard case .bytes(let bytes) = contents,
      let choices = try? JSONDecoder().decode(DashboardChoices.self, from: Data(bytes))
    else { return DashboardChoices() }
    return choices
  }

  /// Returns at once. Choices are written in the order of the calls.
  func write(_ choices: DashboardChoices) {
    queue.async { [self] in replace(with: choices) }
  }

  /// Returns when everything is written.
  func finish() async {
    await withCheckedContinuation { done in
      queue.async { done.resume() }
    }
  }

  /// Replaces the file as a whole. It is not synced: after a power cut, the defaults would do.
  private func replace(with choices: DashboardChoices) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(choices), (try? paths.makeStateDirectory()) == true
    else { return }
    // Another dashboard may write at the same time.
    let path = paths.choicesPath + ".\(getpid())"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else { return }
    let count = data.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
    if count != data.count || rename(path, paths.choicesPath) != 0 { unlink(path) }
  }
}
