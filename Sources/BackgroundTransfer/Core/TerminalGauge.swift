import Foundation
import Glibc
import KettleModel
import KettleSystem
import KettleTasks

/// Shows the progress of the titled tasks in the tab or taskbar entry of the program's terminal.
final class TerminalGauge: Sendable {
  private let batch = Mutex(PresentedBatch())
  private let shown = Mutex<BatchGauge?>(nil)
  /// Returns whether the terminal took all of the text.
  private let write: @Sendable (String) -> Bool

  init(write: @escaping @Sendable (String) -> Bool) { self.write = write }

  /// Records the newest view of a task. Writes nothing, so that it can be called under a lock.
  func record(_ view: TaskView, of key: PresentedBatch.Key, progress: TransferProgress?) {
    batch.withLock {
      $0.record(
        view, of: key, completedByteCount: progress?.completedByteCount ?? 0,
        totalByteCount: progress?.totalByteCount)
    }
  }

  /// Shows the progress if it has changed. What the terminal does not take now is shown with the
  /// next change.
  func draw() { draw { batch.withLock { $0.gauge } } }

  /// Removes the gauge.
  func clear() { draw { nil } }

  private func draw(_ gauge: () -> BatchGauge?) {
    shown.withLock { shown in
      let gauge = gauge()
      if gauge != shown, write(BatchGauge.sequence(gauge)) { shown = gauge }
    }
  }
}

extension TerminalGauge {
  /// The gauge of this process; nil when its standard error is not a terminal that shows progress.
  static let ofProgram: TerminalGauge? = {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(STDERR_FILENO) == 1, TerminalProgram({ environment[$0] }).showsProgress,
      // Opened again, so that a terminal that has been stopped does not block the program.
      let terminal = OwnedDescriptor(
        opened: open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC))
    else { return nil }
    let descriptor = SharedDescriptor(terminal)
    return TerminalGauge { text in
      // A job in the background leaves the terminal to the foreground.
      guard tcgetpgrp(descriptor.number) == getpgrp() else { return false }
      let bytes = Array(text.utf8)
      return Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count
    }
  }()
}
