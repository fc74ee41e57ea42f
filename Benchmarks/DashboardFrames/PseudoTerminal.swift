import CKettleNcurses
import Glibc
import KettleSystem

/// A pseudoterminal that is this process's standard input and output; a thread reads the output and
/// counts the bytes.
final class PseudoTerminal: Sendable {
  /// The original standard output.
  let report: Int32
  private let primary: OwnedDescriptor
  private let received = Mutex(0)

  init?(columns: Int32, rows: Int32) {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    guard kettle_open_terminal(&primary, &secondary, columns, rows) == 0 else { return nil }
    let program = OwnedDescriptor(owning: secondary)
    self.primary = OwnedDescriptor(owning: primary)
    report = dup(STDOUT_FILENO)
    dup2(program.number, STDIN_FILENO)
    dup2(program.number, STDOUT_FILENO)
  }

  var byteCount: Int { received.withLock { $0 } }

  func startCounting() {
    SystemThread.detach { [self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(primary.number, &bytes, bytes.count)
        if count <= 0 { return }
        received.withLock { $0 += count }
      }
    }
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(primary.number, bytes, bytes.count)
  }
}
