import KettleModel

/// A side effect for the caller to perform; returned by `Dashboard.update(_:at:)`.
package enum DashboardEffect: Hashable, Sendable {
  case service(ServiceEffect)
  case terminal(TerminalEffect)
}

/// What the dashboard's session with the service performs. The results come back as messages.
package enum ServiceEffect: Hashable, Sendable {
  /// Replaces the subscription: from now on the service sends these rows.
  case subscribe(Viewport)
  case control(ControlVerb, TransferSelection)
  case add([TransferSpec])
  /// Finds which of these URLs are already in the list.
  case findDuplicates([String])
  case remove(TransferSelection, withFile: Bool)
  /// Replaces the URL of a transfer.
  case relink(TransferID, TransferURL.Parsed)
  /// Limits transfers, or all of them together, in bytes per second; nil removes the limit.
  case limit(TransferSelection, Int64?)
  case move(TransferSelection, QueueMove)
  case prioritize(TransferSelection, TransferPriority)
  /// Moves transfers to one of the user's queues.
  case assign(TransferSelection, QueueName)
  /// Sets a key of the configuration file, and applies it; as `kettle config set`.
  case configure(ConfiguredKey)
  /// Hides finished transfers from the list.
  case clearFinished
  /// Finds the next transfer that contains certain words.
  case find(RowSearch)
  case reset
  case bin(BinRequest)
  /// Lists the hosts.
  case loadHosts
  /// Adds up what was completed since a time.
  case sumFinished(since: WallTime)
  /// Starts the service after the user has stopped it.
  case startService
  case loadDetails(TransferID)
  /// Loads files of a collection's list, from a number on.
  case loadMembers(TransferID, from: Int64)
  /// Starts a collection without some of its files.
  case chooseMembers(TransferID, leavingOut: [MemberRun])
  /// Opens a finished file with the desktop's default program for it.
  case openFile(path: String)
  /// Opens a web page in the user's browser.
  case openPage(TransferURL)
  /// Stores the choices for the next run.
  case remember(DashboardChoices)
}

/// A key of the configuration file with its new value; several words become an array.
package struct ConfiguredKey: Hashable, Sendable {
  package var key: String
  package var words: [String]

  package init(_ key: String, _ words: [String]) {
    self.key = key
    self.words = words
  }

  /// Whether the value may have a password or a token: the login of a proxy, or a program's words.
  var mayBeSecret: Bool { key.hasPrefix("hooks.") || words.contains { $0.contains("@") } }

  /// The user's queue that the key is about.
  var queue: QueueName? {
    let parts = key.split(separator: ".")
    return parts.count == 3 && parts[0] == "queues" ? QueueName(String(parts[1])) : nil
  }
}

/// What the loop that owns the terminal performs.
package enum TerminalEffect: Hashable, Sendable {
  /// Copies a text to the clipboard of the user's terminal.
  case copy(String)
  /// Rings or flashes, as the user configured it.
  case ring
  /// Shows a desktop notification, where the terminal supports it.
  case announce(String)
  /// Returns the terminal to the shell until the user resumes the dashboard.
  case suspend
  /// Redraws every cell.
  case redraw
  /// Ends the dashboard.
  case leave
}

/// What to do with the actions that can be undone.
package enum BinRequest: Hashable, Sendable {
  case list
  /// Undoes an action; without a number the latest one.
  case undo(Int64?)
  /// Deletes everything that can be undone.
  case empty
}

/// Everything that can happen to the dashboard.
package enum DashboardMessage: Hashable, Sendable {
  case keyPressed(Key)
  case mouse(MouseEvent)
  /// The paste was longer than the limit and was discarded as a whole.
  case pasteRefused(characterCountMax: Int)
  case resized(ScreenSize)
  /// The current state of the subscribed rows.
  case rowsArrived(ListWindow, Totals)
  /// The reply to `ServiceEffect.find`; nil when nothing matches.
  case found(RowSearch, FoundRow?)
  /// The reply to `ServiceEffect.loadDetails`.
  case detailsArrived(TransferDetails)
  /// The reply to `ServiceEffect.loadMembers`; nothing more follows an empty page.
  case membersArrived(TransferID, [NumberedMember])
  /// The reply to `ServiceEffect.loadHosts`.
  case hostsArrived([HostSnapshot])
  /// The same for the list of a fleet.
  case machinesArrived([FleetHostRow])
  /// The reply to `ServiceEffect.sumFinished`.
  case finishedSummed(since: WallTime, byteCount: Int64)
  /// The reply to `ServiceEffect.findDuplicates`: one transfer for each URL that is in the list.
  case duplicatesFound([String: DuplicateSearch.Found])
  /// The base directories for paths; sent at the start, unless the files are on another machine.
  case directoriesKnown(UserDirectories)
  case linkChanged(LinkReport)
  /// What the connected service reports about itself, for example that its store was damaged; empty
  /// when all is well.
  case serviceReported([String])
  /// What happened while no dashboard was open; sent at most once.
  case newsArrived(TransferNews)
  case commandFinished(CommandOutcome)
  /// The offset of local time from UTC, sent at the start and whenever it changes.
  case utcOffsetChanged(seconds: Int)
  /// Time has passed; `Dashboard.millisecondsToNextTick` says when the next tick is due.
  case ticked
}

/// The result of an effect that sent a request to the service.
package enum CommandOutcome: Hashable, Sendable {
  /// - Parameter bin: what went to the bin, or came back from it.
  case controlled(
    ControlVerb, appliedCount: Int, refused: [ControlRefusal], bin: BinBytes? = nil)
  /// - Parameter first: nil if none was added.
  case added(count: Int, first: TransferID?)
  /// Nothing was added, or only a part; the sentence says why.
  case addFailed(sentence: String)
  case moved(appliedCount: Int)
  case prioritized(TransferPriority, appliedCount: Int)
  case assigned(QueueName, appliedCount: Int, refused: [ControlRefusal])
  /// - Parameter notices: what is wrong in the file, and what applies later.
  case configured(ConfiguredKey, notices: [String])
  case cleared(count: Int)
  /// - Parameter keptPaths: the files that were to go and stayed.
  case removed(count: Int, keptPaths: [String] = [])
  /// - Parameter problem: Why the page could not be opened; nil if it was.
  case openedPage(TransferURL, problem: String? = nil)
  /// - Parameter hasLogin: Whether the new link has a login.
  case relinked(TransferID, hasLogin: Bool, refused: [ControlRefusal])
  case limited(TransferSelection, bytesPerSecond: Int64?, refused: [ControlRefusal])
  case reset(deletedCount: Int, keptPaths: [String])
  case undone(UndoOutcome)
  /// What can be undone, the latest action first.
  case binListed([BinSnapshot])
  case binEmptied
  /// The details of a transfer could not be loaded; the sentence says why.
  case detailsFailed(TransferID, sentence: String)
  /// Any other failure, as a sentence.
  case failed(sentence: String)
}

/// The result of an undo.
package struct UndoOutcome: Hashable, Sendable {
  /// nil if there was nothing to undo.
  package var kind: BinAction.Kind?
  package var restoredCount: Int
  /// How many transfers were started again since and are unchanged.
  package var busyCount: Int
  /// How many bytes the bin has of these.
  package var busyByteCount: Int64
  /// How many transfers have changed since a control that discarded nothing.
  package var changedCount: Int

  package init(
    _ kind: BinAction.Kind?, restoredCount: Int = 0, busyCount: Int = 0, busyByteCount: Int64 = 0,
    changedCount: Int = 0
  ) {
    self.kind = kind
    self.restoredCount = restoredCount
    self.busyCount = busyCount
    self.busyByteCount = busyByteCount
    self.changedCount = changedCount
  }
}

/// The user's choices that the dashboard remembers from one run to the next. A missing one is the
/// default.
package struct DashboardChoices: Codable, Hashable, Sendable {
  /// The order of the list, not of the history.
  package var sort: RowSort?
  /// The folded groups of the list.
  package var folded: [ListGroup]?
  /// The section of the pane below the list; nil while the pane is closed.
  package var pane: DetailsSection?
  package var hiddenColumns: [TableColumn]?
  /// The boxes above the list that the user does not want to see.
  package var hiddenBoxes: [ListBox]?
  /// The name of a theme; nil is the configured one.
  package var theme: String?

  private enum CodingKeys: String, CodingKey {
    case sort, folded, pane, hiddenColumns, hiddenBoxes, theme
  }

  /// - Parameters:
  ///   - hiddenColumns: none is the same as nil.
  ///   - hiddenBoxes: none is the same as nil.
  package init(
    sort: RowSort? = nil, folded: [ListGroup]? = nil, pane: DetailsSection? = nil,
    hiddenColumns: [TableColumn] = [], hiddenBoxes: [ListBox] = [], theme: String? = nil
  ) {
    self.sort = sort
    self.folded = folded
    self.pane = pane
    self.hiddenColumns = hiddenColumns.isEmpty ? nil : hiddenColumns
    self.hiddenBoxes = hiddenBoxes.isEmpty ? nil : hiddenBoxes
    self.theme = theme
  }

  /// A member that cannot be understood counts as missing; another version may have written it.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    sort = try? members.decode(RowSort.self, forKey: .sort)
    folded = try? members.decode([ListGroup].self, forKey: .folded)
    pane = try? members.decode(DetailsSection.self, forKey: .pane)
    hiddenColumns = try? members.decode([TableColumn].self, forKey: .hiddenColumns)
    hiddenBoxes = try? members.decode([ListBox].self, forKey: .hiddenBoxes)
    theme = try? members.decode(String.self, forKey: .theme)
  }
}

/// A sentence for the message line.
package struct Notice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case plain, problem

    var role: Role {
      switch self {
      case .plain: .heading
      case .problem: .problem
      }
    }

    fileprivate var milliseconds: Int64 {
      switch self {
      case .plain: 5000
      case .problem: 10_000
      }
    }
  }

  package var text: String
  package var kind: Kind
  package var until: MonotonicTime

  /// - Parameter milliseconds: How long it is shown; nil is long enough to read it.
  init(text: String, kind: Kind, from now: MonotonicTime, for milliseconds: Int64? = nil) {
    self.text = text
    self.kind = kind
    until = now.advanced(byMilliseconds: milliseconds ?? kind.milliseconds)
  }
}
