import KettleModel

/// A request that a client can send: a JSON-RPC 2.0 method with its parameters and result.
/// docs/protocol.md lists them all.
package protocol ControlMethod: Sendable {
  associatedtype Params: Codable & Sendable
  associatedtype Result: Codable & Sendable
  static var name: String { get }
}

/// Parameters with bounds that their types do not express. A `TransferSpec` needs none here: its
/// decoder checks it.
protocol BoundedParams {
  /// The error for the first parameter out of its bounds; nil if there is none.
  var problem: ControlError? { get }
}

/// For methods without parameters or without a result.
package struct Nothing: Codable, Hashable, Sendable {
  package init() {}
}

/// The first message on every connection; anything else before it is refused.
package enum Hello: ControlMethod {
  package static let name = "hello"

  package struct Params: Codable, Hashable, Sendable {
    package var protocolVersion: Int
    /// The name of the caller for the log: `kettle add`, the name of a program.
    package var client: String
    /// Whether a person watches this client: while it is connected, the service leaves notices of
    /// finished transfers to it. Absent means no.
    package var isWatchedByPerson: Bool?
    /// Whether requests about the list mean the queue of this machine's fleet. Absent means no.
    package var fleet: Bool?

    package init(
      protocolVersion: Int = ProtocolVersion.current, client: String,
      isWatchedByPerson: Bool? = nil, fleet: Bool? = nil
    ) {
      self.protocolVersion = protocolVersion
      self.client = client
      self.isWatchedByPerson = isWatchedByPerson
      self.fleet = fleet
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    package var protocolVersion: Int
    package var serviceVersion: String
    /// Unique to each start of the service: a client that reconnects can tell whether it reached
    /// the same instance.
    package var instance: String?

    package init(
      protocolVersion: Int = ProtocolVersion.current, serviceVersion: String = ProductVersion.text,
      instance: String? = nil
    ) {
      self.protocolVersion = protocolVersion
      self.serviceVersion = serviceVersion
      self.instance = instance
    }
  }
}

/// Queues transfers, all or none. When the reply arrives, they are durable in the store.
package enum AddTransfers: ControlMethod {
  package static let name = "transfers.add"

  package struct Params: Codable, Hashable, Sendable {
    package var transfers: [TransferSpec]
    /// Chosen by the client, unique to each request. A request with the same ID is a retry: while
    /// this service runs, it receives the first reply and adds nothing.
    package var requestID: String?
    /// In a fleet, the label or name of the hosts that may claim them; nil for any host.
    package var on: String?
    /// In a fleet, the path of each file of a collection below the directory that its transfer
    /// names, or below the first root of the host; nil for transfers that are none.
    package var paths: [MemberPath]?

    package init(
      transfers: [TransferSpec], requestID: String? = nil, on: String? = nil,
      paths: [MemberPath]? = nil
    ) {
      self.transfers = transfers
      self.requestID = requestID
      self.on = on
      self.paths = paths
    }
  }

  package static let requestIDByteCountMax = 128

  static func problem(ofRequestID text: String?) -> ControlError? {
    guard let text, !(1...requestIDByteCountMax).contains(text.utf8.count) else { return nil }
    return ControlError(.invalidParams, "params.requestID")
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order of the request.
    package var ids: [TransferID]

    package init(ids: [TransferID]) { self.ids = ids }
  }
}

extension AddTransfers.Params: BoundedParams {
  var problem: ControlError? {
    guard paths.map({ $0.count == transfers.count }) ?? true else {
      return ControlError(.invalidParams, "params.paths")
    }
    return AddTransfers.problem(ofRequestID: requestID)
  }
}

package enum ListTransfers: ControlMethod {
  package static let name = "transfers.list"
  package typealias Params = Viewport
  package typealias Result = RowWindow
}

extension Viewport: BoundedParams {
  var problem: ControlError? {
    if first < 0 { return ControlError(.invalidParams, "params.first") }
    return (0...Self.countMax).contains(count) ? nil : ControlError(.invalidParams, "params.count")
  }
}

/// Everything about one transfer.
package enum DescribeTransfer: ControlMethod {
  package static let name = "transfers.describe"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID

    package init(id: TransferID) { self.id = id }
  }

  package typealias Result = TransferDetails
}

package enum ControlTransfers: ControlMethod {
  package static let name = "transfers.control"

  package struct Params: Codable, Hashable, Sendable {
    package var control: ControlVerb
    package var selection: TransferSelection

    package init(control: ControlVerb, selection: TransferSelection) {
      self.control = control
      self.selection = selection
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// The transfers that the control applied to, changed or not.
    package var applied: [TransferID]
    package var refused: [ControlRefusal]
    /// With `removeWithFile`: the finished files that were left, because others changed them or
    /// they cannot be moved. Absent means none.
    package var keptFiles: [KeptFile]?
    /// With `stop` and `startFresh`: what is in the bin now, and until when. With `start`: what was
    /// taken back from it. Absent means nothing.
    package var bin: BinBytes?

    package init(
      applied: [TransferID], refused: [ControlRefusal], keptFiles: [KeptFile]? = nil,
      bin: BinBytes? = nil
    ) {
      self.applied = applied
      self.refused = refused
      self.keptFiles = keptFiles
      self.bin = bin
    }
  }

  package struct KeptFile: Codable, Hashable, Sendable {
    package var id: TransferID
    package var path: String

    package init(id: TransferID, path: String) {
      self.id = id
      self.path = path
    }
  }
}

/// Deletes the files that Kettle finished and that are unchanged since; all transfers return to
/// idle.
package enum ResetTransfers: ControlMethod {
  package static let name = "transfers.reset"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    package var deletedPaths: [String]
    /// Finished files that were left alone, because others changed them or they cannot be deleted.
    package var keptPaths: [String]

    package init(deletedPaths: [String], keptPaths: [String]) {
      self.deletedPaths = deletedPaths
      self.keptPaths = keptPaths
    }
  }
}

/// Subscribes to `viewport` notifications: one at once, then at most ten a second, and only when
/// the window changed. A second call moves the window.
package enum SubscribeViewport: ControlMethod {
  package static let name = "viewport.subscribe"
  package typealias Params = Viewport
  package typealias Result = Nothing
}

/// Subscribes to `event` notifications, and to `completed` ones if requested.
package enum WatchEvents: ControlMethod {
  package static let name = "events.watch"

  package struct Params: Codable, Hashable, Sendable {
    /// Progress events too, at most ten a second for a transfer.
    package var includesProgress: Bool
    /// Only events of this session; nil means all.
    package var session: SessionID?
    /// Only transfers that enter, are in or leave one of these states; nil means all. A removal is
    /// reported in any state.
    package var states: [TransferState]?
    /// Completed transfers are reported by id only, many at once, in `completed` notifications
    /// instead of events. Absent means no.
    package var gathersCompleted: Bool?
    /// If the client reads too slowly, events are left out and it receives `resynchronise` instead
    /// of being dropped. Absent means no.
    package var resynchronises: Bool?

    package init(
      includesProgress: Bool, session: SessionID? = nil, states: [TransferState]? = nil,
      gathersCompleted: Bool? = nil, resynchronises: Bool? = nil
    ) {
      self.includesProgress = includesProgress
      self.session = session
      self.states = states
      self.gathersCompleted = gathersCompleted
      self.resynchronises = resynchronises
    }
  }

  package typealias Result = Nothing
}

package enum ServiceStatus: ControlMethod {
  package static let name = "service.status"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    package var serviceVersion: String
    package var processID: Int64
    package var startedAt: WallTime
    package var storePath: String
    package var totals: Totals
    /// Problems of the service itself, for example a store that was set aside; empty if there are
    /// none.
    package var notices: [String]
    /// nil if the service is too old to report it.
    package var proxies: ProxiesInUse?
    /// nil if the service is too old to report it.
    package var start: ServiceStart?
    /// nil if the service is too old to report them.
    package var places: Places?

    /// Where the service has what.
    package struct Places: Codable, Hashable, Sendable {
      package var logPath: String
      package var configPath: String
      package var downloadsDirectory: String
      package var socketPath: String

      package init(
        logPath: String, configPath: String, downloadsDirectory: String, socketPath: String
      ) {
        self.logPath = logPath
        self.configPath = configPath
        self.downloadsDirectory = downloadsDirectory
        self.socketPath = socketPath
      }
    }

    package init(
      serviceVersion: String = ProductVersion.text, processID: Int64, startedAt: WallTime,
      storePath: String, totals: Totals, notices: [String], proxies: ProxiesInUse? = nil,
      start: ServiceStart? = nil, places: Places? = nil
    ) {
      self.places = places
      self.serviceVersion = serviceVersion
      self.processID = processID
      self.startedAt = startedAt
      self.storePath = storePath
      self.totals = totals
      self.notices = notices
      self.proxies = proxies
      self.start = start
    }
  }
}

/// Stops the service; running transfers continue when it is started again.
package enum StopService: ControlMethod {
  package static let name = "service.stop"
  package typealias Params = Nothing
  package typealias Result = Nothing
}
