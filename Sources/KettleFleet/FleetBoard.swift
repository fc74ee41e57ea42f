import KettleModel

/// The fleet's queue for people: adding, looking and controlling. Like `FleetTable`, each function
/// is one transaction and blocks.
package protocol FleetBoard: AnyObject, Sendable {
  /// Adds orders to the end of the queue. Returns their ids, in order; with `isUnique`, an order
  /// whose URL and directory are in the queue gets the id of that one.
  func add(_ addition: FleetAddition) throws(FleetError) -> [FleetTransferID]
  func window(_ request: FleetWindowRequest) throws(FleetError) -> FleetWindow
  /// The ids that match, in the order of the queue.
  func ids(matching filter: FleetFilter) throws(FleetError) -> [FleetTransferID]
  /// The rows with these ids, in the order of the queue.
  func rows(_ ids: [FleetTransferID]) throws(FleetError) -> [FleetRow]
  /// The rows that have changed since a mark of the table, and its mark now. At most `countMax`.
  func changes(since mark: Int64?, countMax: Int) throws(FleetError) -> FleetChanges
  func control(_ control: FleetControl) throws(FleetError) -> FleetControl.Reply
  /// Has the hosts of published files compare them.
  func compare(_ request: FileErrandRequest) throws(FleetError) -> FileErrandRequest.Reply
  func hosts() throws(FleetError) -> [FleetHostRow]
  func origins() throws(FleetError) -> [FleetOriginRow]
  /// Sets how many shares an origin has, and how many connections all of them together.
  func setOrigin(_ origin: String, shares: Int?, connections: Int?) throws(FleetError)
  /// Sets the speed limit of the whole fleet; nil lifts it.
  func setLimit(bytesPerSecond: Int64?) throws(FleetError)
  /// Lets a host finish what it has claimed, and claim nothing more.
  func drain(host: String, _ isDraining: Bool) throws(FleetError)
  func doctor() throws(FleetError) -> FleetHealth
}

/// A connection to the database of a fleet. One thread at a time uses it, except for `wake`.
package protocol FleetConnection: FleetTable, FleetBoard {
  /// Whether the database is on this machine, and everyone who may write to it as well.
  var isLocal: Bool { get }

  /// Waits until a host announces work, `wake` is called or the time is over. Returns whether work
  /// was announced.
  func isWorkAnnounced(withinMilliseconds: Int64) -> Bool

  /// Ends a wait, or the next one. May be called from any thread.
  func wake()
}

package struct FleetAddition: Hashable, Sendable, Codable {
  package var orders: [FleetOrder]
  /// The label or name of the hosts that may claim them; nil for any host.
  package var on: String?
  package var priority: Double
  package var isPaused: Bool
  package var isUnique: Bool

  package init(
    orders: [FleetOrder], on: String? = nil, priority: Double = 0.5, isPaused: Bool = false,
    isUnique: Bool = false
  ) {
    self.orders = orders
    self.on = on
    self.priority = priority
    self.isPaused = isPaused
    self.isUnique = isUnique
  }
}

package struct FleetFilter: Hashable, Sendable, Codable {
  /// nil accepts all.
  package var states: [FleetState]?
  /// The name of the machine that has claimed or published it.
  package var machine: String?
  /// The host of the URL, or a parent domain.
  package var host: String?
  /// Each must occur in the title, the URL or the name, ignoring case.
  package var words: [String]

  package init(
    states: [FleetState]? = nil, machine: String? = nil, host: String? = nil, words: [String] = []
  ) {
    self.states = states
    self.machine = machine
    self.host = host
    self.words = words
  }

  package var isEmpty: Bool { self == FleetFilter() }
}

package struct FleetWindowRequest: Hashable, Sendable, Codable {
  /// The columns by which the table can order. By others than `queue`, only a list of at most
  /// `sortedCountMax` rows is ordered; a longer one stays in the order of the queue.
  package enum Key: String, Sendable, Codable {
    case queue, title, state, size, host, machine, finishedAt, priority
  }

  package static let sortedCountMax = 200_000

  package var filter: FleetFilter
  package var key: Key
  package var isDescending: Bool
  /// The index of the first row.
  package var first: Int
  package var count: Int
  /// A transfer whose index is wanted, too.
  package var anchor: FleetTransferID?
  /// The index of a known row, near which the window is found without counting from an end.
  package var hint: Hint?

  package struct Hint: Hashable, Sendable, Codable {
    package var id: FleetTransferID
    package var index: Int

    package init(id: FleetTransferID, index: Int) {
      self.id = id
      self.index = index
    }
  }

  package init(
    filter: FleetFilter = FleetFilter(), key: Key = .queue, isDescending: Bool = false,
    first: Int = 0, count: Int, anchor: FleetTransferID? = nil, hint: Hint? = nil
  ) {
    self.filter = filter
    self.key = key
    self.isDescending = isDescending
    self.first = first
    self.count = count
    self.anchor = anchor
    self.hint = hint
  }
}

package struct FleetRow: Hashable, Sendable, Decodable {
  package var id: FleetTransferID
  package var url: String
  package var title: String?
  package var directory: String?
  package var name: String?
  package var state: FleetState
  package var priority: Double
  /// The host that has claimed or published it.
  package var machine: String?
  /// What its host has reported last; nil if it reported nothing.
  @HostWritten package var progress: FleetProgress? = nil
  @Amount package var byteCount: Int64? = nil
  @HostWritten package var failure: TransferFailure? = nil
  package var createdAt: WallTime
  package var finishedAt: WallTime?
  /// The label or name of the hosts that may claim it.
  package var on: String?
  /// How its published file compared last.
  @HostWritten package var check: FileCheck? = nil
}

package struct FleetWindow: Hashable, Sendable, Decodable {
  package var first: Int
  package var matchingCount: Int
  package var rows: [FleetRow]
  package var anchorIndex: Int?
  package var tally: FleetTally
}

/// How many transfers the fleet has, by state, and how fast it is.
package struct FleetTally: Hashable, Sendable, Decodable {
  /// By the raw value of `FleetState`; absent for none.
  package var counts: [String: Int]
  @Amount package var bytesPerSecond: Int64
  @Amount package var limitBytesPerSecond: Int64?

  package func count(_ state: FleetState) -> Int { (counts[state.rawValue] ?? 0).bounded }
}

package struct FleetChanges: Hashable, Sendable, Decodable {
  package var rows: [FleetRow]
  package var removed: [FleetTransferID]
  package var mark: Int64
  /// Whether more rows have changed than are here.
  package var isIncomplete: Bool
}

package struct FleetControl: Hashable, Sendable, Codable {
  package enum Verb: String, Sendable, Codable {
    case start, pause, stop, remove
  }

  package var verb: Verb
  /// nil means all that match the filter.
  package var ids: [FleetTransferID]?
  package var filter: FleetFilter
  package var except: [FleetTransferID]

  package init(
    _ verb: Verb, ids: [FleetTransferID]?, filter: FleetFilter = FleetFilter(),
    except: [FleetTransferID] = []
  ) {
    self.verb = verb
    self.ids = ids
    self.filter = filter
    self.except = except
  }

  package struct Reply: Hashable, Sendable, Decodable {
    package var applied: [FleetTransferID]
    /// Its file is being placed at the moment, or its state does not permit it.
    package var refused: [FleetTransferID]
    package var unknown: [FleetTransferID]
  }
}
