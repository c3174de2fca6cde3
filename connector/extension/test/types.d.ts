// Where the content scripts of one page hang their parts.
declare var filmspool: any;
