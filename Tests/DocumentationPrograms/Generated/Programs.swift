// swift-format-ignore-file
// Made by `make examples`.

let programs: [String: DocumentedProgram] = [
  "README1": .waiting(runREADME1),
  "SecTrust1": .plain(runSecTrust1),
  "URLSessionDataDelegate1": .plain(runURLSessionDataDelegate1),
  "URLSessionDelegate1": .plain(runURLSessionDelegate1),
  "URLSessionDelegate2": .plain(runURLSessionDelegate2),
  "URLSessionDelegate3": .plain(runURLSessionDelegate3),
  "URLSessionDownloadDelegate1": .plain(runURLSessionDownloadDelegate1),
  "URLSessionTaskDelegate1": .plain(runURLSessionTaskDelegate1),
  "AListOfFiles1": .waiting(runAListOfFiles1),
  "AsyncDownloads1": .waiting(runAsyncDownloads1),
  "AsyncDownloads2": .waiting(runAsyncDownloads2),
  "BackgroundTransfer1": .waiting(runBackgroundTransfer1),
  "DownloadingInTheBackground1": .plain(runDownloadingInTheBackground1),
  "KnowingWhichTaskIsWhich1": .plain(runKnowingWhichTaskIsWhich1),
  "OneDelegateForAllSessions1": .plain(runOneDelegateForAllSessions1),
  "OneDelegateForAllSessions2": .plain(runOneDelegateForAllSessions2),
  "OneDelegateForAllSessions3": .plain(runOneDelegateForAllSessions3),
  "Uploading1": .plain(runUploading1),
  "WhenSomethingGoesWrong1": .plain(runWhenSomethingGoesWrong1),
  "BackgroundEvents1": .plain(runBackgroundEvents1),
  "URLSession1": .plain(runURLSession1),
]
