import KettleModel

/// One thing that a client can ask of the service: a JSON-RPC 2.0 method with its parameters and
/// result. docs/protocol.md lists them all.
package protocol ControlMethod: Sendable {
  associatedtype Params: Codable & Sendable
  associatedtype Result: Codable & Sendable
  static var name: String { get }
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
    /// What is calling, for the log: `kettle add`, the name of a program.
    package var client: String
    /// Whether a person looks at this client: as long as it is connected, the service leaves it to
    /// the client to tell what is finished. Absent is no.
    package var isWatchedByPerson: Bool?

    package init(
      protocolVersion: Int = ProtocolVersion.current, client: String,
      isWatchedByPerson: Bool? = nil
    ) {
      self.protocolVersion = protocolVersion
      self.client = client
      self.isWatchedByPerson = isWatchedByPerson
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    package var protocolVersion: Int
    package var serviceVersion: String
    /// Another one after each start of the service: a client that connects again can tell whether
    /// it still is the one that it asked.
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

/// Queues transfers, all or none; when the answer comes they are in the store for good.
package enum AddTransfers: ControlMethod {
  package static let name = "transfers.add"

  package struct Params: Codable, Hashable, Sendable {
    package var transfers: [TransferSpec]
    /// Chosen by the client, another one for each request. The same one again is the same request
    /// again: it is answered as the first time and adds nothing, as long as this service lives.
    package var requestID: String?

    package init(transfers: [TransferSpec], requestID: String? = nil) {
      self.transfers = transfers
      self.requestID = requestID
    }
  }

  package static let requestIDByteCountMax = 128

  static func isRequestID(_ text: String) -> Bool {
    (1...requestIDByteCountMax).contains(text.utf8.count)
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order of the request.
    package var ids: [TransferID]

    package init(ids: [TransferID]) { self.ids = ids }
  }
}

package enum ListTransfers: ControlMethod {
  package static let name = "transfers.list"
  package typealias Params = Viewport
  package typealias Result = RowWindow
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
    package var control: TransferControlVerb
    package var selection: TransferSelection

    package init(control: TransferControlVerb, selection: TransferSelection) {
      self.control = control
      self.selection = selection
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// Those that the control applied to, whether or not it changed anything.
    package var applied: [TransferID]
    package var refused: [Refusal]

    package init(applied: [TransferID], refused: [Refusal]) {
      self.applied = applied
      self.refused = refused
    }
  }

  package struct Refusal: Codable, Hashable, Sendable {
    package enum Why: String, Codable, Sendable {
      /// No transfer has this id.
      case unknown
      /// A completed transfer is final until reset.
      case completed
      /// Never started, so there is nothing to pause.
      case notStarted
    }

    package var id: TransferID
    package var why: Why

    package init(id: TransferID, why: Why) {
      self.id = id
      self.why = why
    }
  }
}

/// Deletes the files that Kettle finished and that are still what it wrote; all transfers go back
/// to idle.
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

/// Sends `viewport` notifications from now on: one at once, then at most ten a second, and only
/// when something in it changed. A second call moves the window.
package enum SubscribeViewport: ControlMethod {
  package static let name = "viewport.subscribe"
  package typealias Params = Viewport
  package typealias Result = Nothing
}

/// Sends `event` notifications from now on, and `completed` ones where they are asked for.
package enum WatchEvents: ControlMethod {
  package static let name = "events.watch"

  package struct Params: Codable, Hashable, Sendable {
    /// Progress events too, at most ten a second for a transfer.
    package var includesProgress: Bool
    /// Of this session only; nil is all.
    package var session: SessionID?
    /// Only what comes into one of these states, is in it or leaves it; nil is all. That one is
    /// removed is told whatever its state was.
    package var states: [TransferState]?
    /// Those that become completed are told by their ids alone, many at once, in `completed`
    /// notifications in place of events. Absent is no.
    package var gathersCompleted: Bool?
    /// When the client reads too slowly, events are left out and it is sent `resynchronise`,
    /// instead of being dropped. Absent is no.
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
    /// What is wrong with the service itself, for example a store that was set aside; empty when
    /// all is well.
    package var notices: [String]

    package init(
      serviceVersion: String = ProductVersion.text, processID: Int64, startedAt: WallTime,
      storePath: String, totals: Totals, notices: [String]
    ) {
      self.serviceVersion = serviceVersion
      self.processID = processID
      self.startedAt = startedAt
      self.storePath = storePath
      self.totals = totals
      self.notices = notices
    }
  }
}

/// Asks the service to end; running transfers go on when it is started again.
package enum StopService: ControlMethod {
  package static let name = "service.stop"
  package typealias Params = Nothing
  package typealias Result = Nothing
}
