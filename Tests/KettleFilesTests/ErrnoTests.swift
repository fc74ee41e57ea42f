import Glibc
import KettleModel
import Testing

@testable import KettleFiles

@Suite struct ErrnoTests {
  // Fault 71
  // Fault 73
  @Test(arguments: [
    (ENOSPC, "ENOSPC", TransferFailure.Code.diskFull, TransferFailure.Code.diskFull),
    (EDQUOT, "EDQUOT", .diskFull, .diskFull),
    (EACCES, "EACCES", .directoryUnwritable, .fileProblem),
    (EPERM, "EPERM", .directoryUnwritable, .fileProblem),
    (EROFS, "EROFS", .directoryUnwritable, .fileProblem),
    (ENOENT, "ENOENT", .directoryMissing, .fileProblem),
    (ENOTDIR, "ENOTDIR", .directoryMissing, .fileProblem),
    (ELOOP, "ELOOP", .directoryMissing, .fileProblem),
    (EEXIST, "EEXIST", .nameTaken, .nameTaken),
    (EISDIR, "EISDIR", .nameTaken, .nameTaken),
    (EIO, "EIO", .fileProblem, .fileProblem),
    (EFBIG, "EFBIG", .fileProblem, .fileProblem),
    (ENAMETOOLONG, "ENAMETOOLONG", .fileProblem, .fileProblem),
    (EMFILE, "EMFILE", .fileProblem, .fileProblem),
    (4095, "errno 4095", .fileProblem, .fileProblem),
  ])
  func `an error number maps to a name and to failures for a directory and a file`(
    _ number: Int32, _ name: String, _ inDirectory: TransferFailure.Code,
    _ onFile: TransferFailure.Code
  ) {
    let error = Errno(rawValue: number)
    #expect(error.failure(.directory("/d")) == TransferFailure(inDirectory, on: "/d", detail: name))
    #expect(error.failure(.file("/d/f")) == TransferFailure(onFile, on: "/d/f", detail: name))
  }

  // Fault 75
  @Test func `an interrupted call is retried and any other error is thrown`() {
    var results: [(Int, Int32)] = [(-1, EINTR), (-1, EINTR), (7, 0)]
    let answer = try? Errno.retrying { () -> Int in
      let (result, number) = results.removeFirst()
      errno = number
      return result
    }
    #expect(answer == 7)
    #expect(throws: Errno(rawValue: EIO)) {
      try Errno.retrying { () -> Int in
        errno = EIO
        return -1
      }
    }
  }
}
