import Glibc
import KettleModel
import KettleSystem

/// Opens a file with the user's default program for it: `xdg-open`, found through PATH and run
/// without a shell.
struct FileOpener: Sendable {
  enum Problem: Error, Hashable, Sendable {
    case fileElsewhere, noDesktop, noOpener
    case fileGone(String)
    case notRun(detail: String)
    /// The opener itself failed.
    case refused(String, end: String)
  }

  static let program = "xdg-open"

  let environment: [String: String]
  /// Whether the service's files are on this machine.
  let filesAreHere: Bool

  /// Returns as soon as the opener runs. Calls `refused` if the opener later fails.
  func open(
    _ path: String, refused: @escaping @Sendable (Problem) -> Void
  ) throws(Problem) {
    guard filesAreHere else { throw .fileElsewhere }
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false })
    else { throw .noDesktop }
    guard let opener = SearchPath(environment: environment).path(of: Self.program) else {
      throw .noOpener
    }
    // Anything that does not begin with a slash could be an option.
    guard path.hasPrefix("/"), access(path, F_OK) == 0 else { throw .fileGone(path) }
    guard let opened = OwnedDescriptor(opened: Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)),
      let nowhere = ProcessSpawn.highDescriptor(opened)
    else { throw .notRun(detail: errnoText()) }
    var spawn = ProcessSpawn(
      executablePath: opener, arguments: [Self.program, path], log: nowhere.number)
    spawn.environment = environment
    switch spawn.run() {
    case .failure(let failed): throw .notRun(detail: errnoText(failed.code))
    case .success(let processID):
      // Without a wait the ended child would remain a zombie.
      SystemThread.detach {
        guard let status = ProcessStatus.ofEnded(processID), status.rawValue != 0 else { return }
        refused(.refused(path, end: status.text))
      }
    }
  }
}

extension Sentences {
  static func of(_ problem: FileOpener.Problem) -> String {
    switch problem {
    case .fileElsewhere: "The file is on the other machine; copy it from there to open it"
    case .noDesktop:
      "There is no desktop session to open the file in; Y copies its path"
    case .noOpener:
      "xdg-open is not installed; install xdg-utils, or copy the path with Y"
    case .fileGone(let path): "The file \(quoted(path)) no longer exists"
    case .notRun(let detail): "xdg-open cannot be run (\(detail)); check your PATH"
    case .refused(let path, let end):
      "The desktop has no program for \(quoted(path)) (xdg-open: \(end)); Y copies its path"
    }
  }
}
