import Glibc
import KettleControl
import KettleSocket
import KettleStarter
import KettleSystem

/// Connects commands to the service.
package protocol ServiceConnector: Sendable {
  /// Opens a connection and completes `hello`. If no service runs, starts one when `startIfNeeded`
  /// is set, else throws `ClientError.notRunning`.
  func connect(
    to address: ServiceAddress, client: ClientIdentity, startIfNeeded: Bool
  ) async throws -> any ServiceCalling

  /// Couples standard input and output with the service's socket until one of them ends.
  func pipe(to address: ServiceAddress, startIfNeeded: Bool) async throws

  /// The path on which the service listens, whether or not it runs.
  func socketPath(of address: ServiceAddress) -> String

  /// Whether the socket that the service of this home has recorded exists. A service that ends
  /// cleanly removes it; one that was killed leaves it behind.
  func socketExists(of address: ServiceAddress) -> Bool

  /// The process of the service on this machine; nil if none runs, or that cannot be found out.
  func process(of address: ServiceAddress) -> (any RunningService)?
}

/// A service, seen as a process.
package protocol RunningService: Sendable {
  var hasEnded: Bool { get }
  /// Asks it to end. Returns whether it could be asked.
  func terminate() -> Bool
}

extension ServiceHolder: RunningService {}

/// The identity of a client.
package struct ClientIdentity: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// Such as `kettle add`; for the log.
  package var name: String
  /// Whether a person is watching, so that the service need not notify them.
  package var isWatchedByPerson = false

  package init(_ name: String, isWatchedByPerson: Bool = false) {
    self.name = name
    self.isWatchedByPerson = isWatchedByPerson
  }

  package init(stringLiteral name: String) { self.init(name) }
}

/// Which service is meant; the environment determines its paths.
package struct ServiceAddress: Hashable, Sendable {
  package var environment: [String: String]
  /// The arguments with which this program becomes that service.
  package var serviceArguments: [String]
  /// The machine of the service; nil for this one.
  package var host: RemoteHost?
  /// The machines whose lists are shown as one; empty for the list of one machine.
  package var machines: [MachineName] = []
  /// Whether connecting may ask the user something on the terminal.
  package var mayAsk = true
  /// Whether the list of the connection is the queue of that machine's fleet.
  package var isFleet = false

  /// Those of the user's service.
  package static let usualArguments = ["daemon", "run"]

  package init(
    environment: [String: String], serviceArguments: [String] = ServiceAddress.usualArguments,
    host: RemoteHost? = nil
  ) {
    self.environment = environment
    self.serviceArguments = serviceArguments
    self.host = host
  }
}

extension ServiceAddress {
  /// The service of one of the machines.
  func of(_ machine: MachineName) -> ServiceAddress {
    var address = self
    (address.host, address.machines) = (machine.host, [])
    return address
  }
}

/// A machine that `--host` names.
package enum MachineName: Hashable, Sendable {
  case local
  case remote(RemoteHost)

  /// The word for this machine.
  static let localWord = "local"

  package var host: RemoteHost? {
    switch self {
    case .local: nil
    case .remote(let host): host
    }
  }

  /// Returns short names: without the user and the domain where that is clear.
  static func shown(_ machines: [MachineName]) -> [String] {
    let texts = machines.map { $0.host?.text ?? localWord }
    let hosts = texts.map { text in
      let name = text.hasPrefix("ssh://") ? text.dropFirst(6) : text[...]
      return String(name.split(separator: "@").last ?? name)
    }
    let labels = hosts.map { host in
      let label = host.prefix { $0 != "." }
      // The first number of an address is no name.
      return label.contains { $0.isLetter } && !host.hasPrefix("[") ? String(label) : host
    }
    return texts.indices.map { index in
      let form = [labels, hosts].first { form in form.count { $0 == form[index] } == 1 }
      return (form ?? texts)[index]
    }
  }
}

/// Reaches the service of this machine over its socket, and other machines over ssh.
package struct SocketServiceConnector: ServiceConnector {
  package init() {}

  package func connect(
    to address: ServiceAddress, client: ClientIdentity, startIfNeeded: Bool
  ) async throws -> any ServiceCalling {
    let service = try await machine(at: address, client, startIfNeeded: startIfNeeded)
    guard address.isFleet else { return service }
    do {
      // A service that is too old would ignore the greeting and answer from its own list.
      _ = try await service.call(ManageFleet.self, .status)
      _ = try await service.call(Hello.self, .init(client: client.name, fleet: true))
      return service
    } catch {
      await service.close()
      throw error
    }
  }

  private func machine(
    at address: ServiceAddress, _ client: ClientIdentity, startIfNeeded: Bool
  ) async throws -> any ServiceCalling {
    if let host = address.host {
      var starter = RemoteStarter(
        host: host, clientName: client.name, environment: address.environment)
      starter.isWatchedByPerson = client.isWatchedByPerson
      starter.mayAsk = address.mayAsk
      return try await starter.connect(startingIfNeeded: startIfNeeded)
    }
    return try await starter(of: address, client).connect(startingIfNeeded: startIfNeeded)
  }

  package func pipe(to address: ServiceAddress, startIfNeeded: Bool) async throws {
    let pipe = try ServicePipe.open(
      starter(of: address, "kettle daemon pipe"), startingIfNeeded: startIfNeeded)
    try await pipe.run()
  }

  private func starter(of address: ServiceAddress, _ client: ClientIdentity) -> ServiceStarter {
    var starter = ServiceStarter(
      paths: .of(environment: address.environment), clientName: client.name)
    starter.isWatchedByPerson = client.isWatchedByPerson
    starter.environment = address.environment
    starter.arguments = address.serviceArguments
    return starter
  }

  package func socketPath(of address: ServiceAddress) -> String {
    address.host?.text ?? ServicePaths.of(environment: address.environment).socketPath
  }

  package func process(of address: ServiceAddress) -> (any RunningService)? {
    guard address.host == nil else { return nil }
    return ServiceHolder(ofLock: ServicePaths.of(environment: address.environment).lockPath)
  }

  package func socketExists(of address: ServiceAddress) -> Bool {
    // Checking the other machine would take an ssh connection.
    guard address.host == nil,
      let record = ServiceRecord.read(
        at: ServicePaths.of(environment: address.environment).lockPath)
    else { return false }
    var status = stat()
    return lstat(record.socketPath, &status) == 0
  }
}

/// What must hold before the first thread starts.
package struct StartCheck {
  /// For the heap, libraries loaded later, and transfer buffers.
  private static let heapByteCount: UInt64 = 256 << 20
  private static let threadCount: UInt64 = 32

  /// nil: no limit.
  let limitByteCount: UInt64?
  let threadStackByteCount: UInt64
  let hasRoom: (UInt64) -> Bool

  /// Returns why this process cannot run, or nil when it can.
  ///
  /// Without room for a thread's stack libdispatch retries forever, and Swift's runtime does not
  /// survive a failed allocation. So a limit that is too low must be reported here.
  package static func problem() -> String? {
    let check = StartCheck(
      limitByteCount: AddressSpace.limitByteCount,
      threadStackByteCount: AddressSpace.threadStackByteCount, hasRoom: AddressSpace.hasRoom)
    guard check.limitByteCount != nil else { return nil }
    AddressSpace.shareHeap()
    return check.problem
  }

  var problem: String? {
    guard let limitByteCount else { return nil }
    let (stacks, overflows) = threadStackByteCount.multipliedReportingOverflow(
      by: Self.threadCount)
    let needed = overflows ? .max : Self.heapByteCount.addingSaturating(stacks)
    return hasRoom(needed)
      ? nil : Sentences.addressSpaceTooSmall(limit: limitByteCount, needed: needed)
  }
}

extension UInt64 {
  fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension Sentences {
  static func addressSpaceTooSmall(limit: UInt64, needed: UInt64) -> String {
    "The address space is limited to \(limit >> 20) MiB, but the \(needed >> 20) MiB that "
      + "Kettle needs besides its own code do not fit; raise the limit (ulimit -v) and try again"
  }
}
