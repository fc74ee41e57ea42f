import Dispatch
import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import BackgroundTransfer
@testable import KettleCommands
@testable import KettleConfiguration
@testable import KettleSocket
@testable import KettleCurl
@testable import KettleTerminal
@testable import KettleDesktop
@testable import KettleSystem
@testable import KettleClient
@testable import KettleDaemon
@testable import KettleFiles
@testable import KettleStore

/// Everything that opens a descriptor, on the ways on which it fails, while other threads open and
/// close descriptors of their own.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FailingInitializerTests {
  private static let count = 1000
  /// Other tests of this process open descriptors too, but not nearly as many as would leak.
  private static let leakCountMax = 500

  private let scratch: ScratchDirectory
  private var missing: String { scratch.path + "/missing/file" }
  /// Opens, and is no regular file.
  private var directory: String { scratch.path }

  init() throws { scratch = try ScratchDirectory() }

  /// Runs `fails`, which returns whether it failed as it should, a thousand times.
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
  func `a bus that cannot be reached`(address: BusAddress) {
    repeatedly { throwsError { _ = try BusSocket(address) } }
  }

  @Test func `kernel messages that cannot be listened to`() {
    let wrong = UeventSocket.Address(family: sa_family_t(AF_UNIX))
    repeatedly { UeventSocket(boundTo: wrong) == nil }
  }

  @Test func `a kind of netlink that the kernel does not have`() {
    repeatedly { throwsError { _ = try NetlinkSocket(protocol: 99) } }
  }

  @Test func `a service that does not listen`() {
    let path = missing
    repeatedly { throwsError { _ = try ControlConnection.connectedSocket(path) } }
  }

  @Test func `a service of another user`() throws {
    try chmodPrivate()
    let path = scratch.path + "/s"
    let socket = try ListeningSocket.bind(at: path)
    #expect(socket.file.isFile(at: path))
    var acceptedCount = 0
    repeatedly {
      let isRefused = throwsError {
        _ = try ControlConnection.connectedSocket(path, userID: Int64(geteuid()) + 1)
      }
      let accepted = OwnedDescriptor(opened: accept(socket.descriptor.number, nil, nil))
      if accepted != nil { acceptedCount += 1 }
      return isRefused
    }
    #expect(acceptedCount == Self.count)
  }

  @Test func `a lock that another service holds, and one that is a directory`() throws {
    try chmodPrivate()
    let path = scratch.path + "/lock"
    let held = try #require(try ServiceLock.acquire(at: path))
    try repeatedly { try ServiceLock.acquire(at: path) == nil }
    withExtendedLifetime(held) {}
    repeatedly { throwsError { _ = try ServiceLock.acquire(at: directory) } }
    repeatedly { ServiceLock.recordedSocketPath(at: directory) == nil }
  }

  // MARK: Files

  @Test func `files that are not there or are directories`() {
    let (missing, directory) = (missing, directory)
    repeatedly { throwsError { _ = try Directory(missing) } }
    repeatedly { !ConfigurationFile(path: directory).readForService().notices.isEmpty }
    repeatedly { throwsError { try ArgumentPath.read(missing, from: "/") { _ in true } } }
    repeatedly { throwsError { try ArgumentPath.read(directory, from: "/") { _ in true } } }
    let certificate = ClientCertificate(certificatePath: directory, keyPath: directory)
    repeatedly { certificate.fileProblem != nil }
    repeatedly {
      if case .failure = UploadBody.open(.file(path: directory, byteCount: 1)) { return true }
      return false
    }
  }

  @Test func `an entry that is there already, and a link in place of a file`() throws {
    let directory = try Directory(scratch.path)
    _ = try directory.create("there")
    try #require(symlink("there", scratch.path + "/link") == 0)
    repeatedly { throwsError { _ = try directory.create("there") } }
    repeatedly { throwsError { _ = try directory.open("link", for: .write) } }
  }

  @Test func `a list of unrecorded files that cannot be kept`() {
    let path = scratch.path + "/unrecorded"
    repeatedly { UnrecordedFiles(path: path, boot: "").left.isEmpty }
    repeatedly { UnrecordedFiles(path: missing).left.isEmpty }
  }

  @Test func `a store that cannot be made`() {
    let place = StorePlace(scratch.path + "/missing/store")
    repeatedly { throwsError { try place.makeUnfinished() } }
    repeatedly { throwsError { _ = try place.openProgress() } }
    repeatedly { throwsError { try place.markSuspect("damage") } }
    repeatedly { ProgressPages.read(place).isEmpty }
  }

  @Test func `logs and marks that cannot be opened`() {
    let (missing, directory) = (missing, directory)
    repeatedly {
      LogFile(path: missing).write("a")
      return CrashMarks(path: directory).count == 0
    }
  }

  // MARK: Pipes and programs

  /// These fail only where no descriptor is left, which would stop the other threads as well.
  @Test func `what wakes threads is opened and closed`() {
    repeatedly { WakePipe().readEnd >= 0 }
    repeatedly { (try? EventDescriptor())?.descriptor ?? -1 >= 0 }
    let queue = DispatchQueue(label: "departures")
    repeatedly {
      // The queue closes them later, so the user may be out of instances now and then.
      guard let departures = DirectoryDepartures(queue: queue) else { return true }
      departures.begin {}
      departures.watch("/no/such/directory")
      departures.end()
      return true
    }
  }

  @Test func `programs that cannot be run`() throws {
    try chmodPrivate()
    let program = scratch.path + "/program"
    // May be run, but is none: ENOEXEC.
    let file = try #require(fopen(program, "w"))
    fputs("\u{7F}ELF is not enough", file)
    fclose(file)
    try #require(chmod(program, 0o700) == 0)
    let environment = ["PATH": scratch.path, "HOME": scratch.path]
    repeatedly {
      let started = CoupledProcess.start(
        "program", [], environment: environment, mayAsk: false)
      if case .failure = started { return true }
      return false
    }
    let places = ServicePlaces(
      environment: environment, passwordHome: scratch.path, userDirectories: nil)
    let starter = ServiceStarter(places: places, clientName: "test", executablePath: program)
    repeatedly { throwsError { _ = try ServiceProcess.start(starter) } }
    let launcher = ProgramLauncher(environment: environment, logPath: scratch.path + "/log")
    let command = LaunchCommand(executablePath: missing, arguments: [])
    repeatedly {
      let news = NewsBox()
      launcher.launch(command, for: SessionID(rawValue: "a")) { news.take($0) }
      return news.isNotRun
    }
  }

  private func chmodPrivate() throws { try #require(chmod(scratch.path, 0o700) == 0) }
}
