import CKettleNcurses
import KettleDashboard
import KettleModel

/// What goes past the screen: the clipboard, the bell, the taskbar, the desktop.
extension NcursesTerminal {
  package func copy(_ text: String) -> CopyProblem? {
    guard kind.canCopy else { return .noClipboard }
    guard text.utf8.count <= TerminalText.copyByteCountMax else { return .tooLong }
    // The text goes from there into a shell; lines are what several names are made of.
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
