import Dispatch
import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleStarter
import Testing

@testable import BackgroundTransfer
@testable import KettleSocket
@testable import KettleCommands
@testable import KettleConfiguration
@testable import KettleCurl
@testable import KettleDaemon
@testable import KettleDesktop
@testable import KettleFiles
@testable import KettleStore
@testable import KettleSystem
@testable import KettleTerminal

/// The failure paths of everything that opens a descriptor, while other threads open and close
/// descriptors of their own.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FailingInitializerTests {
  private static let count = 1000
  /// Other tests in this process open descriptors too, but far fewer than a leak would.
  private static let leakCountMax = 500

  private let scratch: ScratchDirectory
  private var missing: String { scratch.path + "/missing/file" }
  /// Can be opened, but is not a regular file.
  private var directory: String { scratch.path }

  init() throws { scratch = try ScratchDirectory() }

  /// Calls `fails`, which returns whether it failed as expected, a thousand times.
  private func repeatedly(
    _ location: SourceLocation = #_sourceLocation, _ fails: () throws -> Bool
  ) rethrows {
    let churn = DescriptorChurn()
    let countBefore = Self.descriptorCount()
    churn.begin()
    var failureCount = 0
    for _ in 0..<Self.count where try fails() { failureCount += 1 }
    let losses = churn.end()
    #expect(failureCount == Self.count, sourceLocation: location)
    #expect(losses.isEmpty, "\(losses.prefix(5))", sourceLocation: location)
    #expect(Self.descriptorCount() - countBefore < Self.leakCountMax, sourceLocation: location)
  }

  private static func descriptorCount() -> Int {
    (0..<Int32(getdtablesize())).prefix(65_536).count { fcntl($0, F_GETFD) >= 0 }
  }

  private func throwsError(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch {
      return true
    }
  }

  // MARK: Sockets

  @Test(arguments: [
    BusAddress.path(Array("/no/such/bus".utf8)), .abstract(Array("kettle no such bus".utf8)),
    .path([UInt8](repeating: 65, count: 200)),
  ])
  func `an unreachable bus leaks no descriptor`(address: BusAddress) {
    repeatedly { throwsError { _ = try BusSocket(address) } }
  }

  @Test func `a uevent socket that cannot be bound leaks no descriptor`() {
    let wrong = UeventSocket.Address(family: sa_family_t(AF_UNIX))
    repeatedly { UeventSocket(boundTo: wrong) == nil }
  }

  @Test func `an unsupported netlink protocol leaks no descriptor`() {
    repeatedly { throwsError { _ = try NetlinkSocket(protocol: 99) } }
  }

  @Test func `connecting to a missing service leaks no descriptor`() {
    let path = missing
    repeatedly { throwsError { _ = try SocketAddressUnix.connectedSocket(path) } }
  }

  @Test func `connecting to another user's service leaks no descriptor`() throws {
    try chmodPrivate()
    let path = scratch.path + "/s"
    let socket = try ListeningSocket.bind(at: path)
    #expect(socket.file.isFile(at: path))
    var acceptedCount = 0
    repeatedly {
      let isRefused = throwsError {
        _ = try SocketAddressUnix.connectedSocket(path, userID: Int64(geteuid()) + 1)
      }
      let accepted = OwnedDescriptor(opened: accept(socket.descriptor.number, nil, nil))
      if accepted != nil { acceptedCount += 1 }
      return isRefused
    }
    #expect(acceptedCount == Self.count)
  }

  @Test func `a lock that is held or is a directory leaks no descriptor`() throws {
    try chmodPrivate()
    let path = scratch.path + "/lock"
    let held = try #require(try ServiceLock.acquire(at: path))
    try repeatedly { try ServiceLock.acquire(at: path) == nil }
    withExtendedLifetime(held) {}
    repeatedly { throwsError { _ = try ServiceLock.acquire(at: directory) } }
    repeatedly { ServiceRecord.read(at: directory) == nil }
  }

  // MARK: Files

  @Test func `files that are missing or are directories leak no descriptor`() {
    let (missing, directory) = (missing, directory)
    repeatedly { throwsError { _ = try Directory(missing) } }
    repeatedly {
      FileContents.read(path: directory, byteCountMax: 1) == .unreadable("it is not a regular file")
    }
    repeatedly { throwsError { try ArgumentPath.read(missing, from: "/") { _ in true } } }
    repeatedly { throwsError { try ArgumentPath.read(directory, from: "/") { _ in true } } }
    let certificate = ClientCertificate(certificatePath: directory, keyPath: directory)
    repeatedly { certificate.fileProblem != nil }
    repeatedly {
      if case .failure = UploadBody.open(.file(path: directory, byteCount: 1)) { return true }
      return false
    }
  }

  @Test func `an existing entry or a link in place of a file leaks no descriptor`() throws {
    let directory = try Directory(scratch.path)
    _ = try directory.create("there")
    try #require(symlink("there", scratch.path + "/link") == 0)
    repeatedly { throwsError { _ = try directory.create("there") } }
    repeatedly { throwsError { _ = try directory.open("link", for: .write) } }
  }

  @Test func `a list of unrecorded files that cannot be opened leaks no descriptor`() {
    let path = scratch.path + "/unrecorded"
    repeatedly { UnrecordedFiles(path: path, boot: "").left.isEmpty }
    repeatedly { UnrecordedFiles(path: missing).left.isEmpty }
  }

  @Test func `a store that cannot be created leaks no descriptor`() {
    let paths = StorePaths(scratch.path + "/missing/store")
    repeatedly { throwsError { try paths.makeUnfinished() } }
    repeatedly { throwsError { try paths.markSuspect("damage") } }
  }

  @Test func `logs and marks that cannot be opened leak no descriptor`() {
    let (missing, directory) = (missing, directory)
    repeatedly {
      LogFile(path: missing).write("a")
      return CrashCounter(path: directory).count == 0
    }
  }

  // MARK: Pipes and programs

  /// These fail only when no descriptor is left, which would stop the other threads as well.
  @Test func `opening and closing wake-up descriptors leaks none`() {
    repeatedly { WakePipe().readEnd >= 0 }
    repeatedly { (try? EventDescriptor())?.descriptor ?? -1 >= 0 }
    let queue = DispatchQueue(label: "departures")
    repeatedly {
      // The queue closes them later, so the user may occasionally be out of instances.
      guard let departures = PathWatch(queue: queue) else { return true }
      departures.start {}
      departures.watchRemovals(from: "/no/such/directory")
      departures.end()
      return true
    }
  }

  @Test func `programs that cannot be run leak no descriptor`() throws {
    try chmodPrivate()
    let program = scratch.path + "/program"
    // Executable, but not a program: ENOEXEC.
    let file = try #require(fopen(program, "w"))
    fputs("\u{7F}ELF is not enough", file)
    fclose(file)
    try #require(chmod(program, 0o700) == 0)
    let environment = ["PATH": scratch.path, "HOME": scratch.path]
    repeatedly {
      let started = CoupledProcess.start(
        "program", [], environment: environment, keepsTerminal: false)
      if case .failure = started { return true }
      return false
    }
    let paths = ServicePaths(
      environment: environment, passwordHome: scratch.path, userDirectories: nil)
    let starter = ServiceStarter(paths: paths, clientName: "test", executablePath: program)
    repeatedly { throwsError { _ = try ServiceProcess.start(starter) } }
    let launcher = ProgramLauncher(environment: environment, logPath: scratch.path + "/log")
    let command = LaunchCommand(executablePath: missing, arguments: [])
    repeatedly {
      let events = LaunchEventBox()
      launcher.launch(command, for: SessionID(rawValue: "a")) { events.record($0) }
      return events.isNotRun
    }
  }

  private func chmodPrivate() throws { try #require(chmod(scratch.path, 0o700) == 0) }
}
