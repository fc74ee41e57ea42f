import CKettleNcurses
import KettleDashboard
import KettleModel

/// Output outside the screen: clipboard, bell, taskbar and desktop notifications.
extension NcursesTerminal {
  package func copy(_ text: String) -> CopyProblem? {
    guard kind.canCopy else { return .noClipboard }
    guard text.utf8.count <= TerminalText.copyByteCountMax else { return .tooLong }
    // The text may be pasted into a shell, so controls are refused; line breaks separate names.
    guard text.unicodeScalars.allSatisfy({ !$0.isControl || $0 == "\n" }) else {
      return .hasControls
    }
    Self.send(TerminalText.copy(text, through: kind.multiplexer))
    return nil
  }

  package func ring() {
    if options.ringsBell { _ = beep() }
  }

  package func announce(_ text: String) {
    guard options.announces, let form = kind.announcement else { return }
    Self.send(TerminalText.announcement(text, as: form))
  }

  package func show(_ gauge: BatchGauge?) {
    guard options.showsTaskbarProgress, kind.showsProgress else { return }
    guard gauge != nil || hasGauge else { return }
    hasGauge = gauge != nil
    Self.send(TerminalText.progress(gauge))
  }
}
