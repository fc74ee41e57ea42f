import KettleModel

/// Lists the user's queues, with how many of their transfers run and wait.
package enum ListQueues: ControlMethod {
  package static let name = "queues.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// `default` first, the others by name.
    package var queues: [QueueSnapshot]

    package init(queues: [QueueSnapshot]) { self.queues = queues }
  }
}

/// Moves transfers to one of the user's queues. A running one continues if that queue is open, and
/// otherwise waits there with its bytes kept.
package enum AssignTransfers: ControlMethod {
  package static let name = "transfers.assign"

  package struct Params: Codable, Hashable, Sendable {
    package var selection: TransferSelection
    package var queue: QueueName

    package init(selection: TransferSelection, queue: QueueName) {
      self.selection = selection
      self.queue = queue
    }
  }

  package typealias Result = ControlTransfers.Result
}

/// Lists the actions that can be undone.
package enum ListBin: ControlMethod {
  package static let name = "bin.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// The latest first.
    package var actions: [BinSnapshot]

    package init(actions: [BinSnapshot]) { self.actions = actions }
  }
}

/// Undoes an action.
package enum UndoAction: ControlMethod {
  package static let name = "bin.undo"

  package struct Params: Codable, Hashable, Sendable {
    /// The number of the action; nil is the latest one of which something can be restored.
    package var number: Int64?

    package init(number: Int64? = nil) { self.number = number }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// nil if there is no such action.
    package var kind: BinAction.Kind?
    package var at: WallTime?
    package var restored: IDRuns
    /// Transfers that were started again and are not idle; what they had stays in the bin.
    package var busy: [TransferID]
    /// How many bytes the bin has of these; absent means none.
    package var busyByteCount: Int64?
    /// How many transfers have changed since a start, pause, limit, priority or move, and stay as
    /// they are; absent means none.
    package var changedCount: Int?
    /// How many cleared transfers are in view again.
    package var uncoveredCount: Int

    package init(
      kind: BinAction.Kind? = nil, at: WallTime? = nil, restored: IDRuns = IDRuns([]),
      busy: [TransferID] = [], busyByteCount: Int64? = nil, changedCount: Int? = nil,
      uncoveredCount: Int = 0
    ) {
      self.kind = kind
      self.at = at
      self.restored = restored
      self.busy = busy
      self.busyByteCount = busyByteCount
      self.changedCount = changedCount
      self.uncoveredCount = uncoveredCount
    }
  }
}

/// Deletes everything in the bin. Nothing of it can be undone afterwards.
package enum EmptyBin: ControlMethod {
  package static let name = "bin.empty"
  package typealias Params = Nothing
  package typealias Result = ListBin.Result
}

/// Lists the hosts with connections, queued transfers, learned limits or outages.
package enum ListHosts: ControlMethod {
  package static let name = "hosts.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// By name.
    package var hosts: [HostSnapshot]
    /// The machines of the fleet, in place of the hosts; nil outside the list of a fleet.
    package var machines: [FleetHostRow]?

    package init(hosts: [HostSnapshot], machines: [FleetHostRow]? = nil) {
      self.hosts = hosts
      self.machines = machines
    }
  }
}

/// Forgets what was learned about a host: its limit, its pause, its outage and a rejected login.
/// It may be contacted at once.
package enum ResetHost: ControlMethod {
  package static let name = "hosts.reset"

  package struct Params: Codable, Hashable, Sendable {
    /// A host, a host and port, or an origin.
    package var host: String

    package init(host: String) { self.host = host }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// The origins about which something was known.
    package var origins: [String]

    package init(origins: [String]) { self.origins = origins }
  }
}

/// Forgets what the user has decided for a host: its login and the certificates that are trusted.
/// A running transfer keeps them until it is started again.
package enum ForgetHost: ControlMethod {
  package static let name = "hosts.forget"
  package typealias Params = ResetHost.Params
  package typealias Result = ResetHost.Result
}

/// Sets the maximum bytes per second, effective at once, also for running transfers.
package enum LimitSpeed: ControlMethod {
  package static let name = "limits.set"

  package struct Params: Codable, Hashable, Sendable {
    /// Ids: the limit of each of these, stored with it. All: one limit for the total, until the
    /// service ends.
    package var selection: TransferSelection
    /// At least 1; nil means no limit.
    package var bytesPerSecond: Int64?

    package init(selection: TransferSelection, bytesPerSecond: Int64?) {
      self.selection = selection
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// Both lists are empty for the limit of the total.
  package typealias Result = ControlTransfers.Result
}

extension LimitSpeed.Params: BoundedParams {
  var problem: ControlError? {
    guard let bytesPerSecond, bytesPerSecond < 1 else { return nil }
    return ControlError(.invalidParams, "params.bytesPerSecond")
  }
}

/// The proxies that the service uses. It reads them once, when it starts.
package struct ProxiesInUse: Codable, Hashable, Sendable {
  /// The address without the login, for example `http://proxy.example:3128`; nil for none.
  package var http: String?
  package var https: String?
  /// The settings that are not the address of a proxy. Transfers that would use them fail.
  package var unusable: [String]

  package init(http: String? = nil, https: String? = nil, unusable: [String] = []) {
    self.http = http
    self.https = https
    self.unusable = unusable
  }
}
