import KettleModel

/// What the service sends, and the results of effects.
extension Dashboard {
  mutating func receive(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    var effects: [DashboardEffect] = []
    switch message {
    case .rowsArrived(_, let totals): effects = service.receive(totals, at: now.monotonic)
    case .linkChanged(let report): linkChanged(report, at: now)
    case .serviceReported(let notices):
      service.notices = notices
      if !notices.isEmpty { showProblems(at: now) }
    case .commandFinished(let outcome): commandFinished(outcome, at: now)
    case .ticked: service.tick(at: now.monotonic)
    case .found, .detailsArrived, .hostsArrived, .duplicatesFound, .newsArrived, .keyPressed,
      .mouse, .pasteRefused, .resized, .directoriesKnown, .utcOffsetChanged:
      break
    }
    return effects + forward(message, at: now)
  }

  private mutating func linkChanged(_ report: LinkReport, at now: Moment) {
    switch report {
    case .connecting:
      if service.link.isConnected || !service.hasTotals { service.link = .connecting }
    case .connected:
      switch service.link {
      case .lost, .silent, .stopped: say(Strings.serviceIsBack, at: now)
      case .connecting: showProblems(at: now)
      case .connected: break
      }
      service.link = .connected
    case .lost: service.connectionLost(at: now.monotonic)
    case .silent: service.fellSilent(at: now.monotonic)
    case .stopped: service.stopped(at: now.wall)
    }
  }

  /// Shows the reports of the service and then the configuration problems. The message stays until
  /// a key is pressed, because the user may not look at once.
  private mutating func showProblems(at now: Moment) {
    let text = Strings.problems(
      service.notices + settings.problems, helpKey: keymap.key(of: "help")?.name,
      width: size.columns - 2)
    guard let text else { return }
    notice = Notice(text: text, kind: .problem, from: now.monotonic, for: 3_600_000)
  }

  private mutating func commandFinished(_ outcome: CommandOutcome, at now: Moment) {
    switch outcome {
    case .controlled(let verb, let appliedCount, let refused):
      if let text = Strings.controlled(verb, appliedCount: appliedCount, refused: refused) {
        say(keymap.filled(text), refused.isEmpty ? .plain : .problem, at: now)
      }
    case .added(let count, _): say(Strings.added(count), at: now)
    case .addFailed(let sentence): say(sentence, .problem, at: now)
    case .relinked(let refused):
      say(Strings.relinked(refused), refused.isEmpty ? .plain : .problem, at: now)
    case .limited(let bytesPerSecond, let refused):
      say(Strings.limited(bytesPerSecond, refused), refused.isEmpty ? .plain : .problem, at: now)
    case .removed(let count, let keptPaths):
      let kept = Strings.filesStay(keptPaths)
      say(
        keymap.filled(Strings.removed(count)) + kept, keptPaths.isEmpty ? .plain : .problem, at: now
      )
    case .moved, .detailsFailed, .binListed: break
    case .binEmptied: say(Strings.binEmptied, at: now)
    case .prioritized(let priority, let appliedCount):
      say(Strings.prioritized(priority, appliedCount), at: now)
    case .assigned(let queue, let appliedCount, let refused):
      say(
        Strings.assigned(to: queue, count: appliedCount, refused: refused),
        refused.isEmpty ? .plain : .problem,
        at: now)
    case .cleared(let count): say(keymap.filled(Strings.cleared(count)), at: now)
    case .reset(let deletedCount, let keptPaths):
      if keptPaths.isEmpty {
        let text = Strings.resetDone(deletedCount: deletedCount) + Strings.undoHint
        say(keymap.filled(text), at: now)
      } else {
        let report = ReportScreen(deletedCount: deletedCount, keptPaths: keptPaths)
        screens.append(OpenScreen(report))
      }
    case .undone(let undone):
      let kind: Notice.Kind = undone.restoredCount == 0 ? .problem : .plain
      say(keymap.filled(Strings.undone(undone)), kind, at: now)
    case .failed(let sentence): say(sentence, .problem, at: now)
    }
  }
}
