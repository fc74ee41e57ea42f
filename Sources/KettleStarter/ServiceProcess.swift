import CKettleLinux
import FoundationEssentials
import Glibc
import KettleControl
import KettleSystem

/// A service process that was just started and whose readiness is not yet known.
package struct ServiceProcess: Sendable {
  /// The result of the start.
  package enum Readiness: Hashable, Sendable {
    case ready
    /// `status` is that of waitpid(2); nil when it closed the pipe but still runs.
    case ended(status: Int32?)
    case timedOut
  }

  /// The exit status of a service that found the lock taken by another one (EX_TEMPFAIL of
  /// sysexits.h).
  package static let lostRaceStatus: Int32 = 75

  /// Whether an ended service may have ended because another one runs.
  package static func isLostRace(_ status: Int32?) -> Bool {
    guard let status else { return true }
    return status == 0 || status == lostRaceStatus << 8
  }

  private let processID: pid_t
  private let readinessPipe: SharedDescriptor
  private let logPath: String
  /// The size of the log before the service wrote to it.
  private let logByteCount: Int64

  /// The path of the running program. After an upgrade the kernel marks its file as deleted; then
  /// this is the new file of that name.
  package static func ownExecutablePath() -> String {
    let link = "/proc/self/exe"
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    guard !bytes.isEmpty, var path = String(validating: bytes, as: UTF8.self) else { return link }
    let mark = " (deleted)"
    if path.hasSuffix(mark) { path.removeLast(mark.count) }
    return access(path, X_OK) == 0 ? path : link
  }

  package static func start(_ starter: ServiceStarter) throws(ClientError) -> ServiceProcess {
    let logPath = starter.paths.logPath
    do throws(ControlSocketError) {
      try PrivateDirectory.make(starter.paths.stateDirectory)
    } catch {
      throw ClientError(error)
    }
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let opened = OwnedDescriptor(opened: open(logPath, flags, 0o600)),
      let log = ProcessSpawn.highDescriptor(opened)
    else { throw failure("its log cannot be opened", code: errno, logPath: logPath) }
    let logByteCount = Int64(lseek(log.number, 0, SEEK_END))
    var ends: [Int32] = [-1, -1]
    guard kettle_pipe(&ends) == 0 else {
      throw failure("no pipe could be made", code: errno, logPath: logPath)
    }
    let readEnd = OwnedDescriptor(owning: ends[0])
    guard let writeEnd = ProcessSpawn.highDescriptor(OwnedDescriptor(owning: ends[1])) else {
      throw failure("no pipe could be made", code: errno, logPath: logPath)
    }
    var spawn = ProcessSpawn(
      executablePath: starter.executablePath,
      arguments: ["kettle"] + starter.arguments
        + ["--ready-fd", "\(ProcessSpawn.readyDescriptor)"], log: log.number)
    spawn.environment = starter.environment
    spawn.ready = writeEnd.number
    switch spawn.run() {
    case .success(let processID):
      return ServiceProcess(
        processID: processID, readinessPipe: SharedDescriptor(readEnd), logPath: logPath,
        logByteCount: logByteCount)
    case .failure(let failed):
      throw cannotRun(starter, code: failed.code)
    }
  }

  static func cannotRun(_ starter: ServiceStarter, code: Int32) -> ClientError {
    failure(
      "\"\(starter.executablePath)\" cannot be run", code: code, logPath: starter.paths.logPath)
  }

  private static func failure(
    _ problem: String, code: Int32, logPath: String
  ) -> ClientError {
    .didNotStart(
      detail: "\(problem): \(SystemError(code).message)", logPath: logPath)
  }

  /// Why the service did not become ready, in the middle of a sentence: what it said itself, if it
  /// said something before it ended.
  package func detail(_ readiness: Readiness, budget: Duration) -> String {
    switch readiness {
    case .ended: lastWords ?? readiness.detail(budget: budget)
    case .ready, .timedOut: readiness.detail(budget: budget)
    }
  }

  /// The last line of the log, if the program wrote it for people.
  private var lastWords: String? {
    guard let log = OwnedDescriptor(opened: open(logPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else {
      return nil
    }
    let end = Int64(lseek(log.number, 0, SEEK_END))
    let start = max(logByteCount, end - Self.lastWordsByteCountMax)
    guard start < end else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(end - start))
    let count = pread(log.number, &bytes, bytes.count, off_t(start))
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    guard let line = text.split(separator: "\n").last, line.hasPrefix(Self.wordsPrefix) else {
      return nil
    }
    return String(line.dropFirst(Self.wordsPrefix.count))
  }

  private static let lastWordsByteCountMax: Int64 = 4096
  /// With which every program of Kettle begins a message for people.
  private static let wordsPrefix = "kettle: "

  /// Waits for the byte with which the service reports that it is ready. Call it once.
  ///
  /// A separate thread waits and then stays until the service ends, so that a long-running program
  /// that started it does not keep a zombie.
  package func readiness(within budget: Duration) async -> Readiness {
    await withCheckedContinuation { continuation in
      SystemThread.detach {
        let (readiness, isReaped) = waitForByte(milliseconds: budget.pollMilliseconds)
        continuation.resume(returning: readiness)
        if !isReaped { _ = Self.waitForEnd(of: processID, options: 0) }
      }
    }
  }

  /// Waits on the calling thread. Call it once.
  package func readinessBlocking(within budget: Duration) -> Readiness {
    let (readiness, isReaped) = waitForByte(milliseconds: budget.pollMilliseconds)
    if !isReaped {
      // The thread lives as long as the service and must not keep the pipe open.
      SystemThread.detach { [processID] in _ = Self.waitForEnd(of: processID, options: 0) }
    }
    return readiness
  }

  private func waitForByte(milliseconds: Int32) -> (Readiness, isReaped: Bool) {
    var entry = pollfd(fd: readinessPipe.number, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, milliseconds)
      if count == -1, errno == EINTR { continue }
      guard count == 1 else { return (.timedOut, false) }
      var byte: UInt8 = 0
      let got = read(readinessPipe.number, &byte, 1)
      if got == -1, errno == EINTR { continue }
      if got == 1 { return (.ready, false) }
      let status = statusSoon()
      return (.ended(status: status), status != nil)
    }
  }

  /// A process closes its descriptors a moment before it can be waited for.
  private func statusSoon() -> Int32? {
    for _ in 0..<100 {
      if let status = Self.waitForEnd(of: processID, options: WNOHANG) { return status }
      poll(nil, 0, 10)
    }
    return nil
  }

  private static func waitForEnd(of processID: pid_t, options: Int32) -> Int32? {
    ProcessStatus.ofEnded(processID, options: options)?.rawValue
  }
}

extension Duration {
  /// For poll(2), where a negative number means forever.
  var pollMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let bounded = min(max(seconds, 0), 1_000_000)
    return Int32(clamping: max(0, bounded * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}

extension ServicePaths {
  /// The paths of the user who runs this process.
  package static func ofThisProcess() -> ServicePaths {
    of(environment: ProcessInfo.processInfo.environment)
  }

  /// The paths for a process with this environment.
  package static func of(environment: [String: String]) -> ServicePaths {
    let passwordHome = passwordHome() ?? "/"
    let path = userDirectoriesPath(environment: environment, passwordHome: passwordHome)
    return ServicePaths(
      environment: environment, passwordHome: passwordHome, userDirectories: text(ofFile: path),
      isUsableRuntimeDirectory: isOwnDirectory)
  }

  /// Creates the state directory and its missing parents, closed to others, for a program that
  /// writes there or to the configuration. Returns whether it is there. Throws like `checkWriter`.
  package func makeStateDirectory() throws(ClientError) -> Bool {
    try checkWriter()
    return (try? PrivateDirectory.make(stateDirectory)) != nil
  }

  /// Throws if this is root and would write to the configuration or the state of another user, who
  /// could not read or change it afterwards.
  package func checkWriter() throws(ClientError) {
    for path in [stateDirectory, configPath] {
      guard let owner = Self.foreignOwner(of: path) else { continue }
      throw .foreignHome(path: homeDirectory, ownerID: owner)
    }
  }

  /// Throws if this is root and the state directory would be made in a directory of another user,
  /// who could not use it.
  package func checkOwner() throws(ClientError) {
    var status = stat()
    guard stat(stateDirectory, &status) != 0, let owner = Self.foreignOwner(of: stateDirectory)
    else { return }
    throw .foreignHome(path: homeDirectory, ownerID: owner)
  }

  /// Returns the owner of a path, or of the first parent that exists, if this is root and that is
  /// another user. Root's own home may belong to another user, as in some containers.
  private static func foreignOwner(of path: String) -> Int64? {
    guard geteuid() == 0, !isIn(passwordHome() ?? "/root", path) else { return nil }
    var path = path
    var status = stat()
    while stat(path, &status) != 0 {
      guard path != "/" else { return nil }
      path = SystemCall.parent(of: path)
    }
    return status.st_uid == 0 ? nil : Int64(status.st_uid)
  }

  private static func isIn(_ directory: String, _ path: String) -> Bool {
    path.hasPrefix(directory == "/" ? "/" : directory + "/")
  }

  /// Returns the home directory in the password database (getpwuid_r(3)), or nil when the user has
  /// no entry.
  private static func passwordHome() -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    let result = getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found)
    guard result == 0, let home = found?.pointee.pw_dir else { return nil }
    return String(cString: home)
  }

  private static func isOwnDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid()
  }

  /// Returns the beginning of a small text file without the lines that are not UTF-8, whose paths
  /// would lead elsewhere. Returns nil when it cannot be read.
  private static func text(ofFile path: String) -> String? {
    guard let file = OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(file.number, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return bytes.prefix(count).split(separator: UInt8(ascii: "\n"))
      .compactMap { String(validating: $0, as: UTF8.self) }.joined(separator: "\n")
  }
}
