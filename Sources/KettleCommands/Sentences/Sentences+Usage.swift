import KettleModel

extension Sentences {
  static func of(_ problem: UsageProblem) -> String {
    switch problem {
    case .url(let text, let why): why.sentence(text)
    case .list(let why, let name): of(why, name: name)
    case .metalink(let path, let why): of(why, path: path)
    case .torrent(let path, let why): of(why, of: path)
    case .manifest(let path, let why): of(why, of: path)
    case .collection(let text, let words):
      "The collection \(quoted(text)) cannot be listed because \(words); check its address"
    case .command(let why): of(why)
    case .fleet(let why): of(why)
    case .value(let why): of(why)
    case .path(let why): of(why)
    }
  }

  private static func of(_ problem: UsageProblem.ListProblem, name: String) -> String {
    let list = name == "-" ? "standard input" : quoted(name)
    return switch problem {
    case .line(let number, let text, let why): "Line \(number) of \(list): \(why.sentence(text))"
    case .lineNotText(let number):
      "Line \(number) of \(list) is not UTF-8 text; save the list as UTF-8"
    case .lineTooLong(let number):
      "Line \(number) of \(list) is longer than \(URLList.lineByteCountMax) bytes; "
        + "check that it is a list of URLs"
    case .moreLines(let count, let isAll):
      "\(isAll ? "" : "At least ")\(count) more \(count == 1 ? "line" : "lines") of \(list) "
        + "\(count == 1 ? "is" : "are") not valid either; check that it is a list of URLs"
    case .unreadable(let detail):
      "The list \(list) cannot be read (\(detail)); check its path and permissions"
    case .directory: "\(list) is a directory; give a file with one URL on each line"
    case .device: "\(list) is a device; give a file with one URL on each line"
    case .tooLarge(let byteCountMax):
      "\(list) is larger than \(byteCountMax >> 20) MiB; check the path"
    case .fifoWithoutWriter: "Nothing writes to the FIFO \(list); start its writer first"
    case .empty: "There is no URL in \(list); write one on each line"
    }
  }

  static func of(_ problem: MetalinkProblem, path: String) -> String {
    let name = quoted(path)
    return switch problem {
    case .tooLarge:
      "The Metalink \(name) is longer than \(MetalinkFile.byteCountMax) bytes; "
        + "add its URLs one by one"
    case .notText: "The Metalink \(name) is not UTF-8 text; save it as UTF-8"
    case .xml(.malformed(let line)):
      "The Metalink \(name) is not valid XML (line \(line)); download it again"
    case .xml(.documentType):
      "The Metalink \(name) has a document type, which is not read; remove the line <!DOCTYPE"
    case .xml(.tooDeep):
      "The elements of the Metalink \(name) are nested too deeply; download it again"
    case .tooManyFiles:
      "The Metalink \(name) has more than \(MetalinkFile.fileCountMax) files; split it"
    case .oldVersion:
      "The Metalink \(name) has version 3; ask its provider for version 4, or add its URLs"
    case .notMetalink: "\(name) is not a Metalink; check that it is the right file"
    case .empty: "There is no file in the Metalink \(name); check that it is the right one"
    case .noURL(let file):
      "The Metalink \(name) has no URL for \(quoted(file)) that can be used; "
        + "add another URL of the file"
    }
  }

  private static func of(_ problem: UsageProblem.CommandProblem) -> String {
    switch problem {
    case .nothingToAdd:
      "No URL was given; write \"kettle add URL\", or \"kettle add -i FILE\" for a list"
    case .nameForSeveral(let count):
      "-o names one file but \(count) URLs were given; leave it out, or add them one by one"
    case .checksumForSeveral(let count):
      "--checksum applies to one file but \(count) URLs were given; add them one by one"
    case .twoChecksums: "--checksum and --checksum-url exclude each other; give one of them"
    case .mirrorForSeveral(let count):
      "--mirror applies to one file but \(count) URLs were given; add them one by one"
    case .pausedGet:
      "\"kettle get\" waits for the file, but --paused would not start it; "
        + "use \"kettle add --paused\""
    case .standardOutput:
      "\"kettle add\" does not wait, so it has nothing for standard output; use \"kettle get -o -\""
    case .standardOutputForSeveral(let count):
      "\"-o -\" is for one file but \(count) URLs were given; get them one by one"
    case .standardOutputForCollection: "-o - is for one file, not for a collection; leave it out"
    case .standardOutputOverHost:
      "\"-o -\" reads the file, which is on the other machine; leave it out, and copy the file whose "
        + "path \"kettle get\" prints"
    case .standardOutputWithJSON:
      "\"-o -\" and --json both write to standard output; leave one of them out"
    case .standardOutputAndHook:
      "The file of \"-o -\" is not kept for the program of --then; leave one of them out"
    case .standardOutputAndContinue:
      "\"-o -\" has no file that --continue could continue; leave one of them out"
    case .streamWithoutStandardOutput:
      "--stream passes the bytes on as they arrive and needs \"-o -\"; add it"
    case .streamAndDecode:
      "--stream passes the bytes on as they arrive and --decode unpacks them when all are there; "
        + "give one of them"
    case .rangeHeader:
      "A header cannot request a range, because Kettle divides the file itself; leave it out, and "
        + "for a part of the file use \"curl -r\""
    case .keyWithoutCertificate(let path):
      "The key \(quoted(path)) belongs to a certificate; give that with --cert"
    case .freshWithLink: "--fresh starts from the beginning, so it takes neither --url nor --user"
    case .rememberWithoutLogin: "--remember needs a login to remember; give it with --user NAME"
    case .linkForSeveral: "--url and --user apply to one transfer; give exactly one id"
    case .neitherIDsNorAll(let command):
      "\"kettle \(command)\" needs transfer ids, or --all; \"kettle list\" shows the ids"
    case .nothingToWaitFor: "Nothing to wait for was named; give the ids of transfers, or --all"
    case .bothIDsAndAll(let command):
      "\"kettle \(command)\" takes either ids or --all; leave one of them out"
    case .queueAndOthers(let command):
      "\"kettle \(command)\" takes --queue, ids or --all, but only one of them"
    case .confirmationNeedsTerminal(let command):
      "\"kettle \(command)\" asks first, but there is no terminal to ask on; add --yes"
    case .passwordNeedsTerminal(let user):
      "Cannot ask for the password of \(quoted(user)) without a terminal; write --user "
        + "NAME:PASSWORD"
    case .unknown(let name, let meant):
      "Unknown command \(quoted(name, limit: 60)); "
        + (meant.map { "did you mean \"\($0)\"? " } ?? "")
        + "\"kettle --help\" lists the commands"
    case .isURL(let url):
      "\(quoted(url)) is not a command; download it with \"kettle get URL\", "
        + "or queue it with \"kettle add URL\""
    case .host(let text):
      "\(quoted(text)) is not a host; write --host HOST or --host USER@HOST, as for ssh"
    case .everyAlone(let option): "--every does not go with \(option); leave one of them out"
    case .dryRunOfFiles: "--dry-run prints the files of collections; give no other URLs with it"
    case .notOverHost(let command):
      "\"kettle \(command)\" is for this machine; leave --host out"
    case .severalHosts(let command): severalHosts(command)
    case .tooManyHosts: "A list has at most \(MachineIDs.countMax) machines; leave some --host out"
    }
  }

  private static func severalHosts(_ command: String) -> String {
    "Only \"kettle list\" and the dashboard on a terminal show several machines, without --fleet; "
      + "give one --host to \"\(command.isEmpty ? "kettle" : "kettle " + command)\""
  }

  private static func relative(_ path: String, to problem: WorkingDirectory.Problem) -> String {
    let why =
      switch problem {
      case .gone: "does not exist any more"
      case .unreadable(let detail): "cannot be determined (\(detail))"
      case .notText: "has a name that is not UTF-8"
      }
    return "\(quoted(path)) is relative to the current directory, which \(why); "
      + "go to another directory, or give an absolute path"
  }

  private static func of(_ problem: UsageProblem.PathProblem) -> String {
    switch problem {
    case .directoryMissing(let path):
      "The directory \(quoted(path)) does not exist; create it, or choose another with -d"
    case .notADirectory(let path):
      "\(quoted(path)) is not a directory; choose one with -d, and name the file with -o"
    case .directoryUnwritable(let path, let detail):
      "The directory \(quoted(path)) cannot be written to (\(detail)); "
        + "change its permissions, or choose another with -d"
    case .directoryNotMade(let path, let detail):
      "The directory \(quoted(path)) cannot be created (\(detail)); choose another with -d"
    case .notText(.argument(let shown)):
      "The argument \(quoted(shown, limit: 4096)) is not UTF-8, and Kettle handles no other names; "
        + "rename it, or give a link to it; percent-encode it in a URL"
    case .notText(.variable(let name)):
      "The value of \(name) is not UTF-8, and Kettle handles no other names; set it to another "
        + "path, for example to a link to the same directory"
    case .relativeToNothing(let path, let problem): relative(path, to: problem)
    case .notAPlaceForFiles(let path):
      "\(quoted(path)) is not a regular file, so nothing can be saved there; "
        + "choose another name with -o, or write to it with \"kettle get -o - URL >FILE\""
    case .temporaryDirectory(let path, let detail):
      "No temporary directory can be created in \(quoted(path)) (\(detail)); set TMPDIR to another"
    case .cookiesUnreadable(let path, let why):
      "The cookies \(quoted(path)) cannot be read\(reason(why)); check the path and permissions"
    case .notCookies(let path):
      "\(quoted(path)) has no cookies; give a file in Netscape's format, as curl and wget write it, "
        + "or the database of a browser"
    case .browserCookies(let path, let why): of(why, path: path)
    case .cookiesEncrypted(let path, let host, let count):
      "\(count) \(count == 1 ? "cookie" : "cookies") for \(quoted(host)) in \(quoted(path)) "
        + "\(count == 1 ? "is" : "are") encrypted with a key of the desktop's keyring, which Kettle "
        + "does not read; export the cookies in Netscape's format, with an extension of the browser "
        + "or with \"yt-dlp --cookies-from-browser chromium --cookies FILE\""
    case .certificateUnreadable(let path, let detail):
      "The certificate file \(quoted(path)) cannot be read (\(detail)); "
        + "check its path and permissions"
    case .certificateNotAFile(let path):
      "\(quoted(path)) is not a file; give a PEM certificate file with --ca-certificate"
    case .notDownloaded(let path):
      "\(quoted(path)) is not the finished file of a transfer on the list; "
        + "--manifest compares it with a list of checksums"
    case .notAPrefix(let text):
      "\"\(text.sanitizedForDisplay())\" is no prefix of a bucket; write s3://BUCKET/PREFIX"
    case .notAnEndpoint(let text):
      "\"\(text.sanitizedForDisplay())\" in AWS_ENDPOINT_URL is not a URL; "
        + "it must begin with http:// or https://"
    case .relativeOverHost(let path):
      "\(quoted(path)) would be resolved on the other machine; write an absolute path"
    }
  }

  /// Why a file cannot be read, in brackets.
  private static func reason(_ problem: UsageProblem.ListProblem) -> String {
    switch problem {
    case .unreadable(let detail): " (\(detail))"
    case .directory: " (it is a directory)"
    case .device: " (it is a device)"
    case .tooLarge(let byteCountMax): " (it is larger than \(byteCountMax >> 20) MiB)"
    case .fifoWithoutWriter: " (nothing writes to this FIFO)"
    case .line, .lineNotText, .lineTooLong, .moreLines, .empty: ""
    }
  }

  /// A complaint about lines of a cookie file that are not used.
  static func cookieLines(_ lines: [Int], of path: String) -> String {
    let shown = lines.prefix(10).map(String.init).joined(separator: ", ")
    let more = lines.count > 10 ? " and \(lines.count - 10) more" : ""
    let subject = lines.count == 1 ? "Line \(shown) of" : "Lines \(shown)\(more) of"
    return "\(subject) \(quoted(path)) \(lines.count == 1 ? "is no cookie" : "are no cookies") and "
      + "not used; a cookie has seven fields with tabs in between"
  }

  private static func of(_ problem: BrowserCookieProblem, path: String) -> String {
    let database = "The database \(quoted(path))"
    return switch problem {
    case .unknownFormat:
      "\(database) is not one of Firefox's or Chromium's cookies; give \"cookies.sqlite\" or "
        + "\"Cookies\" of the browser's profile, or a file in Netscape's format"
    case .damaged(let detail):
      "\(database) is damaged (\(detail.sanitizedForDisplay(limit: 300))); export the cookies from "
        + "the browser in Netscape's format"
    case .tooLarge(let byteCountMax):
      "\(database) is larger than \(byteCountMax >> 20) MiB, too large for cookies; check the path"
    case .changing:
      "\(database) changes all the time; close the browser and try again"
    case .unreadable(let detail):
      "\(database) cannot be read (\(detail.sanitizedForDisplay(limit: 300))); check the path and "
        + "permissions"
    case .notCopied(let directory, let detail):
      "\(database) cannot be copied to \(quoted(directory)) "
        + "(\(detail.sanitizedForDisplay(limit: 300))); set TMPDIR to another directory"
    }
  }
}

// MARK: - Values of options

extension UsageProblem {
  /// The value of an option is invalid.
  package enum ValueProblem: Hashable, Sendable {
    case fileName(String)
    case rate(String)
    case limit(String)
    case time(String)
    /// After `--since` of `verify`.
    case age(String)
    /// After `--every` of `sync`.
    case period(String)
    case priority(String)
    case header(String)
    case checksum(String)
    case connections(Int)
    /// More mirrors than a transfer may have.
    case mirrors(Int)
    case session(String)
    case queue(String)
    case seconds(Double)
    case wholeSeconds(option: String, Int)
    case tries(Int)
    case memberChoice(depth: Int?)
    case proxy(String)
    case variant(String)
    /// `--then` with a quote that is not closed.
    case hookQuote(String)
    case hook(String, HookCommand.Problem)
    case userEmpty
    case readyDescriptor(Int32)
  }
}

extension Sentences {
  fileprivate static func of(_ problem: UsageProblem.ValueProblem) -> String {
    switch problem {
    case .fileName(let name):
      "\(quoted(name)) is not a valid file name; use no \"/\" and no control characters, at most "
        + "\(FileName.byteCountMax) bytes, "
        + "and choose the directory with -d"
    case .rate(let text) where RateText.parse(text) != nil,
      .limit(let text) where RateText.parse(text) != nil:
      "\(quoted(text)) would be bytes per second; write \(text)K or \(text)M, or \(text)B if you "
        + "mean that"
    case .rate(let text):
      "Invalid rate \(quoted(text)); write 500K or 1.5M, which is per second"
    case .limit(let text):
      "Invalid rate \(quoted(text)); write 500K or 1.5M, which is per second, or none for no limit"
    case .period(let text):
      "\(quoted(text)) is not a time such as 90m, 12h or 7d; the shortest is 10m, and never ends it"
    case .age(let text): "\(quoted(text)) is not a time such as 90m, 12h or 30d"
    case .time(let text):
      "Invalid time \(quoted(text)); write 2026-12-24T18:00:00Z, "
        + "2026-12-24T18:00 for local time, or +90m, +2h, +1d from now"
    case .priority(let text):
      "Invalid priority \(quoted(text)); write low, normal, high, "
        + "or a number from 0 to 1"
    case .header(let text):
      // The value may be a secret, so only the name is repeated.
      "Invalid header \(quoted(String(text.prefix { $0 != ":" }))); write it as \"Name: value\" "
        + "without line breaks"
    case .checksum(let text):
      "Invalid checksum \(quoted(text)); write sha256: and 64 hexadecimal digits, or sha512:, sha384:, "
        + "sha224:, sha1: or md5: and theirs, or the digits alone"
    case .connections(let count):
      "Cannot use \(count) connections for one file; "
        + "give a number from 1 to \(AddOptions.connectionsMax)"
    case .mirrors(let count):
      "Cannot use \(count) mirrors for one file; give at most \(TransferOptions.mirrorCountMax)"
    case .session(let text):
      "Invalid session \(quoted(text)); give a name of 1 to 255 bytes "
        + "without control characters"
    case .queue(let text):
      "Invalid queue \(quoted(text)); give a name of letters, digits, \"-\" and \"_\", at most "
        + "\(QueueName.byteCountMax)"
    case .seconds(let seconds):
      "Cannot wait \(seconds) seconds; give a number from 0 to \(Seconds.max)"
    case .wholeSeconds(let option, let seconds):
      "Cannot use \(option) \(seconds); give seconds from 1 to \(TransferOptions.secondsMax)"
    case .tries(let count):
      "Cannot make \(count) attempts; give a number from 1 to "
        + "\(TransferOptions.attemptsCountMax), or 0 for no limit"
    case .memberChoice(let depth?) where depth < 0:
      "Cannot enter \(depth) directories; give --depth 0 or more"
    case .memberChoice:
      "The patterns of --include and --exclude are too many or too long; give at most "
        + "\(MemberChoice.patternCountMax)"
    case .proxy(let text):
      "\(quoted(TransferURLProblem.withoutLogin(text))) is not the address of a proxy; write http://HOST:PORT, "
        + "https://, socks4://, socks4a://, socks5:// or socks5h://, or none"
    case .variant(let text):
      "\(quoted(text)) is not a variant; write smallest, a height such as 720p, or a bit rate such "
        + "as 2500k"
    case .hookQuote(let text): "A quote in --then \(quoted(text)) is not closed; close it"
    case .hook(let text, let problem): hook(text, problem)
    case .userEmpty: "The user name is empty; write --user NAME or --user NAME:PASSWORD"
    case .readyDescriptor(let number):
      "The descriptor \(number) of --ready-fd is not open; leave the option out"
    }
  }
}
