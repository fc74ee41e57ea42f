import KettleModel

/// What the engine tells its observer, in the order in which it became true.
package enum EngineEvent: Sendable, Hashable {
  /// The first of all: what the transfers come to of which nothing else is told, and up to which
  /// finish number they were cleared before.
  case recovered(DormantTally, clearedUpTo: Int64?)
  case added(TransferSnapshot)
  /// They are new, too, and the store alone has them from the start; none is a task of a program.
  case listed(ListedTransfers)
  case changed(TransferSnapshot)
  /// `bytesWritten` since the last one of this transfer.
  case progress(TransferSnapshot, bytesWritten: Int64)
  /// As it was before.
  case removed(TransferSnapshot)
  /// It was on the list before, and only the store had it.
  case woken(TransferSnapshot)
  /// The store has them as they were last told of, and has them alone from now on.
  case slept([TransferID])
  /// Those that are completed up to this finish number are out of view from now on.
  case cleared(upTo: Int64)
  /// The limit of everything together; nil is none.
  case limited(bytesPerSecond: Int64?)
}

/// How closely somebody looks at the progress.
package enum ProgressCadence: Sendable, Hashable {
  /// A screen is open: ten times a second.
  case live
  /// Nobody looks: often enough to keep the speeds true, and to divide files by them.
  case quiet

  var milliseconds: Int64 {
    switch self {
    case .live: 100
    case .quiet: 250
    }
  }
}

/// One line of what happened to a transfer since the service started.
package struct HistoryItem: Sendable, Hashable {
  package var at: WallTime
  package var text: String
}

/// One connection of a transfer that runs.
package struct LiveConnection: Sendable, Hashable {
  /// The part of the file that it brings; `upper` is nil while the size is unknown.
  package struct Range: Sendable, Hashable {
    package var lower: Int64
    package var upper: Int64?
  }

  /// nil while the server has not answered.
  package var range: Range?
  package var receivedUpTo: Int64
  package var bytesPerSecond: Int64
  package var url: TransferURL
}

/// Everything about one transfer.
package struct EngineDetails: Sendable, Hashable {
  package var snapshot: TransferSnapshot
  package var record: TransferRecord
  /// Where its file goes.
  package var directory: String
  package var currentURL: TransferURL?
  /// Where the redirects of the last run led, one after the other.
  package var redirects: [TransferURL]
  package var connections: [LiveConnection]
  /// Bytes of each of the last seconds in which it ran, the newest last.
  package var recentSpeeds: [Int64]
  package var head: ResponseHead?
  package var history: [HistoryItem]
}

/// Why the engine did not do what it was asked.
package enum EngineError: Error, Sendable, Hashable {
  /// The store cannot be written; nothing was queued.
  case cannotKeep(String)
  case stopping
}
