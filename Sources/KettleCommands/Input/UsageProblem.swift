import KettleModel

/// What is wrong with a command line, or with something that it names.
package enum UsageProblem: Hashable, Sendable {
  case url(String, TransferURLProblem)
  /// `name` is the file given to `-i`, or `-` for standard input.
  case list(ListProblem, name: String)
  /// The path of a Metalink, and what is wrong with it.
  case metalink(String, MetalinkProblem)
  /// The path of a torrent whose files are to be fetched, and what is wrong with it.
  case torrent(String, TorrentProblem)
  /// The path of a manifest, and what is wrong with it.
  case manifest(String, ManifestProblem)
  /// The source of a collection, and what is wrong with it.
  case collection(String, String)
  case command(CommandProblem)
  case fleet(FleetProblem)
  case value(ValueProblem)
  case path(PathProblem)

  package enum ListProblem: Error, Hashable, Sendable {
    case line(Int, String, TransferURLProblem)
    case lineNotText(Int)
    /// Longer than `URLList.lineByteCountMax`; the rest was not read.
    case lineTooLong(Int)
    /// The number of bad lines beyond those named.
    case moreLines(Int, isAll: Bool)
    case unreadable(detail: String)
    case directory, device
    /// Larger than what is read of such a file.
    case tooLarge(byteCountMax: Int)
    /// A FIFO that no program has open for writing.
    case fifoWithoutWriter
    case empty
  }

  /// Words that conflict.
  package enum CommandProblem: Hashable, Sendable {
    case nothingToAdd
    case nameForSeveral(count: Int)
    case checksumForSeveral(count: Int)
    case twoChecksums
    case mirrorForSeveral(count: Int)
    case pausedGet
    /// A header `Range` or `If-Range`.
    case rangeHeader
    case keyWithoutCertificate(String)
    /// `--stream` without `-o -`.
    case streamWithoutStandardOutput
    case streamAndDecode
    case standardOutputForSeveral(count: Int)
    case standardOutputOverHost
    case standardOutputForCollection
    case standardOutputWithJSON
    /// `-o -` with `--then`, whose program would get a file that disappears.
    case standardOutputAndHook
    /// `-o -` with `--continue`: what another program has left has a name.
    case standardOutputAndContinue
    /// `-o -`.
    case standardOutput
    /// `--url` requires exactly one id.
    case linkForSeveral
    /// `--remember` of `kettle start` has no login to remember.
    case rememberWithoutLogin
    case freshWithLink
    case neitherIDsNorAll(command: String)
    /// `wait` without ids, which may come from an `add` that failed.
    case nothingToWaitFor
    case bothIDsAndAll(command: String)
    /// `--queue` with ids or `--all`.
    case queueAndOthers(command: String)
    case confirmationNeedsTerminal(command: String)
    case passwordNeedsTerminal(user: String)
    case unknown(String, meant: String?)
    case isURL(String)
    /// After `--host`.
    case host(String)
    case notOverHost(command: String)
    /// More than one `--host`, with a command that needs one, or `--fleet`.
    case severalHosts(command: String)
    case tooManyHosts
    /// `add --dry-run` of something that is no collection.
    case dryRunOfFiles
    /// `--every` of `sync` with an option for a single sync.
    case everyAlone(option: String)
  }

  /// What is wrong with a path.
  package enum PathProblem: Hashable, Sendable {
    case directoryMissing(String)
    case notADirectory(String)
    case directoryUnwritable(String, detail: String)
    case directoryNotMade(String, detail: String)
    case cookiesUnreadable(String, ListProblem)
    case notCookies(String)
    /// The database of a browser.
    case browserCookies(String, BrowserCookieProblem)
    /// Cookies that a host of the command would get.
    case cookiesEncrypted(String, host: String, count: Int)
    case temporaryDirectory(String, detail: String)
    case certificateUnreadable(String, detail: String)
    case certificateNotAFile(String)
    case notText(WordNotText)
    /// A relative path, and the current directory does not lead anywhere.
    case relativeToNothing(String, WorkingDirectory.Problem)
    /// A FIFO, a socket or a device in the place of a file.
    case notAPlaceForFiles(String)
    /// Not the finished file of a transfer.
    case notDownloaded(String)
    /// It would have to be resolved on another machine.
    case relativeOverHost(String)
    case notAPrefix(String)
    case notAnEndpoint(String)
  }
}

/// Refuses a command before it has any effect.
package struct UsageError: Error, Hashable, Sendable {
  package var problems: [UsageProblem]

  package init(_ problems: [UsageProblem]) { self.problems = problems }
  package init(_ problem: UsageProblem) { problems = [problem] }
}
